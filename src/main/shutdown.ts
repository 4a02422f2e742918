import { constants } from "node:os";
import type { Log } from "../observe/log.ts";
import type { OpenRequests } from "../pipeline/call/open-requests.ts";

/** More time than an estimate and a ledger that cannot be written need until they give up. */
const SETTLING_MS = 45_000;

/** The parts that have to end before the process: connections, and requests that may outlast them. */
interface DrainTargets {
  readonly server: {
    /** Stops accepting, waits at most `patience_ms` for running requests, then closes the remaining connections. */
    drain(patience_ms: number): Promise<void>;
    /** Closes the remaining connections at once. */
    cut(): void;
  };
  readonly open_requests: OpenRequests;
}

/** The orders to end, by signals or by the supervisor. */
interface Orders {
  /** Resolves with the reason at the first word to end. */
  readonly stopped: Promise<string>;
  /** `hurry` is called at the second. */
  onHurry(hurry: () => void): void;
}

/** The words of a process's own signals: SIGTERM and SIGINT. */
export function signalOrders(): Orders {
  const first = Promise.withResolvers<string>();
  let signals = 0;
  let onSecond = (): void => {};
  const onSignal = (signal: string) => {
    signals += 1;
    if (signals === 1) first.resolve(signal);
    else onSecond();
  };
  process.on("SIGTERM", () => onSignal("SIGTERM"));
  process.on("SIGINT", () => onSignal("SIGINT"));
  return {
    stopped: first.promise,
    onHurry: (hurry) => {
      onSecond = hurry;
    },
  };
}

interface DrainOptions {
  readonly orders: Orders;
  readonly log: Log;
  readonly patience_ms: number;
}

/**
 * Resolves after the first word to end, when running requests have finished and all of them are settled. After
 * `patience_ms`, or at the second word, the remaining requests are cut (docs/rulings.md 90).
 */
export async function drainOnOrder({ server, open_requests }: DrainTargets, given: DrainOptions): Promise<void> {
  const { orders, log, patience_ms } = given;
  orders.onHurry(() => {
    log.warn("cutting what is still running");
    open_requests.stopVendorDrains();
    server.cut();
  });
  log.info({ signal: await orders.stopped }, "draining");
  const end_ms = performance.now() + patience_ms;
  await server.drain(patience_ms);
  await open_requests.allEnded(Math.max(0, end_ms - performance.now()));
  open_requests.stopVendorDrains();
  const left = await open_requests.allEnded(SETTLING_MS);
  if (left > 0) log.error({ left }, "requests could not be settled: their holds are ended at the next start");
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Has a gateway that is process 1, as in a container, end at once where it is told to before it serves: while it waits for its database, say. Any other
 * process does so by itself, but the system withholds each signal without a handler from process 1, and stopping the container would take until its time is over.
 * A handler that is added later, to drain, is the only one that acts from then on.
 */
export function endWhileStarting(end: (status: number) => void): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) end(128 + constants.signals[signal]);
    });
  }
}
