import type { Log } from "../observe/log.ts";

export interface Stoppable {
  /** Stops accepting and waits for what is running, at most so long. */
  drain(patience_ms: number): Promise<void>;
  /** Cuts what is still running. */
  cut(): void;
}

/**
 * Resolves after the first SIGTERM or SIGINT, when what was running has finished (at most `patience_ms` later). A second
 * signal cuts what is left; either way the caller settles and closes the books afterwards.
 */
export async function drainOnSignal(server: Stoppable, log: Log, patience_ms: number): Promise<void> {
  const first = Promise.withResolvers<string>();
  let signals = 0;
  const onSignal = (signal: string) => {
    signals += 1;
    if (signals === 1) return first.resolve(signal);
    log.warn({ signal }, "cutting what is still running");
    server.cut();
  };
  process.on("SIGTERM", () => onSignal("SIGTERM"));
  process.on("SIGINT", () => onSignal("SIGINT"));
  log.info({ signal: await first.promise }, "draining");
  await server.drain(patience_ms);
}
