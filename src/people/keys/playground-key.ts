import type { KeyStatus } from "../../core/people/principal.ts";

export const PLAYGROUND_KEY_NAME = "Playground";
/** How long it is valid unless it is renewed. */
export const PLAYGROUND_KEY_LIFE_MS = 12 * 60 * 60_000;

/**
 * What a user's call for a playground key does to the key that they have in the account: one that is active is renewed in place, so that lists
 * and usage do not fill with keys of a day. One that was disabled or revoked stays so; it is deleted, and a new one takes its place.
 */
export function decidePlaygroundKey(found: { readonly status: KeyStatus } | null): "make" | "renew" | "replace" {
  if (found === null) return "make";
  return found.status === "active" ? "renew" : "replace";
}
