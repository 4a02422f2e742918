import type { LinkRecord, UserRecord } from "../../core/people/users.ts";
import { isSameEmail } from "../users/email-key.ts";

/** What becomes of a signed-in user's use of a link: they join an account, or are a member already, which spends the link too. */
type Joining =
  | { readonly outcome: "gone" }
  | { readonly outcome: "other-email"; readonly email: string }
  | { readonly outcome: "joins" | "is-member"; readonly account_id: string };

/** Decides whether a user joins an account by an invitation: only one for their e-mail, to an account. `link`: null where it cannot be used. */
export function decideJoining(link: LinkRecord | null, user: UserRecord | null): Joining {
  if (link?.purpose !== "invitation" || link.account_id === null || user === null) return { outcome: "gone" };
  const { account_id, email } = link;
  if (email === null || !isSameEmail(email, user.email)) return { outcome: "other-email", email: email ?? "" };
  const is_member = user.memberships.some((each) => each.account_id === account_id);
  return { outcome: is_member ? "is-member" : "joins", account_id };
}
