import type { Log } from "../observe/log.ts";

/** A change on one gateway applies on the others within five seconds, including the time to read it. */
const REFRESH_EVERY_MS = 3000;

/**
 * Every few seconds takes over the changes that other gateways, or other processes of this one, made in the database.
 * `is_alone`: no other process uses the database, so all changes are made here.
 */
export function startRefreshing(
  shared: { refresh(): Promise<void> },
  is_alone: boolean,
  log: Log,
): { stop(): Promise<void> } {
  if (is_alone) return { stop: () => Promise.resolve() };
  let running: Promise<void> | null = null;
  const refresh = async () => {
    try {
      await shared.refresh();
    } catch (thrown) {
      log.warn({ err: thrown }, "what other gateways have changed could not be read");
    }
    running = null;
  };
  const timer = setInterval(() => {
    running ??= refresh();
  }, REFRESH_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
