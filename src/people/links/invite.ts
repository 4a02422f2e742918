import type { LinkRecord, NewLink, UserRecord } from "../../core/people/users.ts";
import { type Refused, refused } from "../refused.ts";
import { emailTaken } from "../users/email-key.ts";

/** Refuses an invitation that gives its user nothing: a user needs an account that they do not belong to yet. */
export function refuseUselessInvitation(
  email: string,
  { account_id }: Pick<NewLink, "account_id">,
  user: Pick<UserRecord, "memberships"> | null,
): Refused | null {
  if (user === null) return null;
  if (account_id === null) return refused(emailTaken(email));
  if (!user.memberships.some((each) => each.account_id === account_id)) return null;
  return refused(`${email} belongs to this account already.`);
}

type Reach = Pick<LinkRecord, "purpose" | "account_id" | "vouched">;

/**
 * Whether a new link replaces an earlier one for the same e-mail that nobody has used (docs/rulings.md 117): one of the same purpose, and of
 * the same account. An account's owners withdraw neither what an administrator has sent, nor what another account has.
 */
export function replacesLink(link: Reach, earlier: Reach): boolean {
  if (link.purpose !== earlier.purpose || link.purpose === "first-administrator") return false;
  if (earlier.vouched && !link.vouched) return false;
  // A reset that somebody asked for by the user's e-mail ends no other: strangers could keep the user from using any (docs/rulings.md 224).
  if (link.purpose === "password-reset") return link.vouched;
  return link.account_id === earlier.account_id;
}
