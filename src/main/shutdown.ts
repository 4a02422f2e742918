import type { Log } from "../observe/log.ts";
import type { OpenRequests } from "../pipeline/generation/open-requests.ts";

/** More time than an estimate and a ledger that cannot be written need until they give up. */
const SETTLING_MS = 45_000;

/** What has to end before the process: connections, and requests that may outlast them. */
export interface DrainTargets {
  readonly server: {
    /** Stops accepting, waits at most `patience_ms` for running requests, then closes the remaining connections. */
    drain(patience_ms: number): Promise<void>;
    /** Closes the remaining connections at once. */
    cut(): void;
  };
  readonly open_requests: OpenRequests;
}

/**
 * Resolves after the first SIGTERM or SIGINT, when running requests have finished and all of them are settled. After
 * `patience_ms`, or at a second signal, the remaining requests are cut.
 */
export async function drainOnSignal(
  { server, open_requests }: DrainTargets,
  log: Log,
  patience_ms: number,
): Promise<void> {
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
