import type { Role, UserRecord, UserStatus } from "../../core/people/users.ts";
import { type Refused, refused } from "../refused.ts";

/** Nobody locks everybody out (docs/rulings.md 119): there is always an active administrator. */

type RoleAndStatus = { readonly role: Role; readonly status: UserStatus };

function isActiveAdministrator({ role, status }: RoleAndStatus): boolean {
  return role === "administrator" && status === "active";
}

/**
 * Refuses to demote or disable the last active administrator. `administrators`: the ids of the active ones, all of them held until the
 * change is written, so that two of them cannot end each other at the same time. Where there is none, nobody is the last.
 */
export function refuseLastAdministrator(
  user_id: string,
  wanted: RoleAndStatus,
  administrators: readonly Pick<UserRecord, "id">[],
): Refused | null {
  if (isActiveAdministrator(wanted) || administrators.length === 0) return null;
  if (administrators.some(({ id }) => id !== user_id)) return null;
  return refused("This is the last administrator: make someone else an administrator first.");
}

/** Whether any administrator can sign in without a link. `administrators`: the active ones. */
export function someoneCanAdminister(administrators: readonly UserRecord[]): boolean {
  return administrators.some((user) => user.has_password || user.passkeys > 0 || user.identities.length > 0);
}
