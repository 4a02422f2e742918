import type { Log } from "../observe/log.ts";
import { BackgroundChore } from "./background-chore.ts";

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
  const chore = new BackgroundChore({
    every_ms: REFRESH_EVERY_MS,
    work: () => shared.refresh(),
    onFailure: (thrown) => log.warn({ err: thrown }, "what other gateways have changed could not be read"),
  });
  if (!is_alone) chore.start();
  return chore;
}
