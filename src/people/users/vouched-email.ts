import type { Role } from "../../core/people/users.ts";
import { isSameEmail } from "./email-key.ts";

/**
 * Whose e-mail is vouched for (docs/rulings.md 118): somebody other than its user says that it is theirs. That is a provider that has
 * verified it (`ProviderIdentity.verified_email`), or an administrator who invited it (`LinkRecord.vouched`); not an account's owner, and not
 * the user. By OpenID Connect only those come in (sign-in/join-by-verified-email.ts).
 */

/** Whether an invitation vouches for its e-mail. `maker`: the role of whoever makes it. */
export function invitationVouches(maker: Role | null): boolean {
  return maker === "administrator";
}

/** Whether a user's e-mail is still vouched for after it was set anew: not where it became another. */
export function stillVouched(
  before: { readonly email: string; readonly email_verified: boolean },
  email: string,
): boolean {
  return before.email_verified && isSameEmail(email, before.email);
}
