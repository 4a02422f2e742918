import type { KeyRoll } from "../../core/people/keys.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { type Refused, refused } from "../refused.ts";

/** When the secret ends that a key has had until now; null: at once. */
interface RollDecision {
  readonly old_until_ms: number | null;
}

/**
 * Decides over a new secret of a key. The old one stays valid for the overlap; a second roll ends the secret before the first at once: a key has
 * two secrets at most. `is_taken`: a key has or had this secret.
 */
export function decideRoll(
  key: Pick<KeyRecord, "id" | "status" | "playground_of">,
  { overlap_ms }: Pick<KeyRoll, "overlap_ms">,
  { is_taken, now_ms }: { readonly is_taken: boolean; readonly now_ms: number },
): RollDecision | Refused {
  if (key.status === "revoked") return refused(`The key ${key.id} is revoked: create a new key.`);
  if (key.playground_of !== undefined)
    return refused(`The key ${key.id} is the playground's, which gives it new secrets by itself.`);
  if (is_taken) return refused(`The key ${key.id} was given this secret before: its Idempotency-Key made it.`);
  return { old_until_ms: overlap_ms > 0 ? now_ms + overlap_ms : null };
}

/** A key as its secret before the last roll shows it: it expires with that secret, wherever the record is remembered. */
export function byOldSecret(key: KeyRecord): KeyRecord {
  const until_ms = key.old_secret_until_ms ?? 0;
  return { ...key, expires_ms: Math.min(key.expires_ms ?? until_ms, until_ms) };
}
