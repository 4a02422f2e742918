import type { KeyRecord, KeyStatus } from "../../core/people/principal.ts";
import { type Refused, refused } from "../refused.ts";

/** A key's new status, and whether only an administrator may enable it. */
interface KeyStatusChange {
  readonly status: KeyStatus;
  readonly is_barred: boolean;
}

/** What an actor's change says of the bar: an administrator who disables a key bars it, and who enables it lifts that. Undefined: it stays. */
export function barredBy(is_administrator: boolean, status: KeyStatus): boolean | undefined {
  return is_administrator && status !== "revoked" ? status === "disabled" : undefined;
}

/** Decides over a key's status. A revoked key stays so, and a member does not enable what an administrator has disabled. */
export function decideKeyStatus(
  key: Pick<KeyRecord, "id" | "status" | "ceilings">,
  status: KeyStatus,
  bars: boolean | undefined,
): KeyStatusChange | Refused {
  if (key.status === "revoked" && status !== "revoked")
    return refused(`The key ${key.id} is revoked, which cannot be undone: create a new key.`);
  const was_barred = key.ceilings?.barred === true;
  if (was_barred && status === "active" && bars === undefined)
    return refused(`The key ${key.id} was disabled by an administrator: only an administrator can enable it.`);
  return { status, is_barred: bars ?? was_barred };
}
