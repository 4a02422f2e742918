import type { Store } from "../core/ports.ts";
import type { Log } from "../observe/log.ts";

/** A change on one gateway applies on the others within five seconds, including the time to read it. */
const REFRESH_EVERY_MS = 3000;

/**
 * Every few seconds takes over the changes that other gateways made in the database. An embedded database has one
 * gateway, which makes all changes itself.
 */
export function startRefreshing(
  shared: { refresh(): Promise<void> },
  kind: Store["kind"],
  log: Log,
): { stop(): Promise<void> } {
  if (kind === "sqlite") return { stop: () => Promise.resolve() };
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
