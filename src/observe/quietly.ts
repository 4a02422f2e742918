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

/** What `quietly` does with what was thrown: for code that every call passes, where a function would be made for each. */
export function logQuietly(log: Log, thrown: unknown): void {
  try {
    log.error({ err: thrown }, "something beside a request failed");
  } catch {
    // Nothing is left to tell it to.
  }
}
