import type { MemberRecord } from "../../core/people/memberships.ts";
import { type Refused, refused } from "../refused.ts";

/** An owner of an account. One who is disabled cannot look after it. */
export type Owner = Pick<MemberRecord, "user_id" | "status">;

/** Refuses to take its last active owner from an account. `owners`: all of them, the leaving one too. The account is held. */
export function refuseLastOwner(
  { user_id, email }: Pick<MemberRecord, "user_id" | "email">,
  owners: readonly Owner[],
): Refused | null {
  if (owners.some((owner) => owner.user_id !== user_id && owner.status === "active")) return null;
  return refused(`${email} is the last owner of this account: make somebody else an owner first.`);
}
