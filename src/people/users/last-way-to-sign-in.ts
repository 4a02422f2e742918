import type { UserRecord } from "../../core/people/users.ts";
import { type Refused, refused } from "../refused.ts";

/**
 * Refuses to take away the last way to sign in (docs/rulings.md 119). `user`: before the change. `what`: what would be removed, in words.
 */
export function refuseLastWay(
  user: Pick<UserRecord, "has_password" | "passkeys" | "identities">,
  what: string,
): Refused | null {
  if (user.has_password || user.passkeys + user.identities.length > 1) return null;
  return refused(`This is the only way to sign in that is left: set a password before you remove ${what}.`);
}
