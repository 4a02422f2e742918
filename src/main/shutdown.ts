import type { Log } from "../observe/log.ts";
import type { OpenRequests } from "../pipeline/generation/open-requests.ts";

/** Longer than an estimate and a ledger that cannot be written take to give up. */
const SETTLING_MS = 45_000;

/** What is running: connections, and requests that may outlive them. */
export interface Running {
  readonly server: {
    /** Stops accepting and waits for what is running, at most so long; then cuts what is left. */
    drain(patience_ms: number): Promise<void>;
    /** Cuts what is still running. */
    cut(): void;
  };
  readonly open_requests: OpenRequests;
}

/**
 * Resolves after the first SIGTERM or SIGINT, when what was running has finished (at most `patience_ms` later, or at a
 * second signal, what is left is cut) and all of it is settled.
 */
export async function drainOnSignal({ server, open_requests }: Running, log: Log, patience_ms: number): Promise<void> {
  const first = Promise.withResolvers<string>();
  let signals = 0;
  const onSignal = (signal: string) => {
    signals += 1;
    if (signals === 1) return first.resolve(signal);
    log.warn({ signal }, "cutting what is still running");
    open_requests.hurry();
    server.cut();
  };
  process.on("SIGTERM", () => onSignal("SIGTERM"));
  process.on("SIGINT", () => onSignal("SIGINT"));
  log.info({ signal: await first.promise }, "draining");
  const end_ms = performance.now() + patience_ms;
  await server.drain(patience_ms);
  await open_requests.allEnded(Math.max(0, end_ms - performance.now()));
  open_requests.hurry();
  const left = await open_requests.allEnded(SETTLING_MS);
  if (left > 0) log.error({ left }, "requests could not be settled: their holds are ended at the next start");
}
