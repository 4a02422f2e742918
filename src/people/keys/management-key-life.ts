import type { ManagementKeyRecord } from "../../core/people/management-keys.ts";

/** The least time between two marks of a key as used. */
const MARK_EVERY_MS = 60_000;

type Lived = Pick<ManagementKeyRecord, "revoked_ms" | "expires_ms">;

/** How a management key is: a revoked one stays so, also where its time is over. */
export function managementKeyStatus(
  { revoked_ms, expires_ms }: Lived,
  now_ms: number,
): "active" | "revoked" | "expired" {
  if (revoked_ms !== null) return "revoked";
  return expires_ms !== null && expires_ms <= now_ms ? "expired" : "active";
}

/** Whether a use of a key is to be recorded: it may be used, and the last recorded use is old. */
export function isManagementUseStale(key: Lived & Pick<ManagementKeyRecord, "last_used_ms">, now_ms: number): boolean {
  return managementKeyStatus(key, now_ms) === "active" && now_ms - (key.last_used_ms ?? 0) >= MARK_EVERY_MS;
}
