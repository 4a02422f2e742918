import type { DrawText } from "../core/ids.ts";
import { API_KEY_PREFIX, checkApiKey, createApiKey, hashApiKey, type NewApiKey } from "./api-key.ts";
import type { SubKeys } from "./sub-keys.ts";

/**
 * Management keys are made, signed and hashed as API keys are, under a prefix of their own: each kind is recognised, and
 * refused, where the other belongs.
 */
export const MANAGEMENT_KEY_PREFIX = "cmm-";

export function createManagementKey(keys: SubKeys, draw?: DrawText): NewApiKey {
  const { key: drawn, hint } = createApiKey(keys, draw);
  const key = MANAGEMENT_KEY_PREFIX + drawn.slice(API_KEY_PREFIX.length);
  return { key, hash: hashApiKey(keys, key), hint };
}

export function isManagementKey(text: string): boolean {
  return text.startsWith(MANAGEMENT_KEY_PREFIX);
}

/** The hash under which a management key is stored; null where this gateway did not make it. */
export function managementKeyHash(keys: SubKeys, text: string): string | null {
  const inner = API_KEY_PREFIX + text.slice(MANAGEMENT_KEY_PREFIX.length);
  return isManagementKey(text) && checkApiKey(keys, inner) ? hashApiKey(keys, text) : null;
}
