import type { Log } from "./log.ts";

/**
 * Does what must change nothing else: a metric, a line of the log. Where it throws, that is logged as far as the log can
 * be written.
 */
export function quietly(log: Log, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    logQuietly(log, thrown);
  }
}

/** Logs a thrown value as `quietly` does. For code that every call passes, where `quietly` would need a new function for each call. */
export function logQuietly(log: Log, thrown: unknown): void {
  try {
    log.error({ err: thrown }, "something beside a request failed");
  } catch {
    // The log itself fails: there is no other place to report to.
  }
}
