import type { Store } from "../core/ports.ts";
import type { Log } from "../observe/log.ts";

/** So that what is set on one gateway is in force on the others within five seconds, the reading included. */
const REFRESH_EVERY_MS = 3000;

/**
 * Takes over every few seconds what other gateways on the same database have changed. An embedded database has one
 * gateway, which knows what it changes itself.
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
