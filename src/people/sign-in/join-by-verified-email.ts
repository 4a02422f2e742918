import type { IdentityRefusal, LinkRecord, ProviderIdentity, Role, UserRecord } from "../../core/people/users.ts";
import type { Entry } from "../links/accept-invitation.ts";
import { isOpenLink } from "../links/link-lives.ts";
import { maySignIn } from "./session-life.ts";

/** What is known of a person whose identity a provider has confirmed, and that no user has yet. */
export interface KnownOfPerson {
  /** The user with the e-mail that the provider has verified. */
  readonly of_email: UserRecord | null;
  /** Whether that user signs in by another identity of the same issuer. */
  readonly has_other: boolean;
  /** The invitation of that e-mail that lets them in (invitationFor). */
  readonly invitation: LinkRecord | null;
  /** The role of a user who is made for an unknown identity; null where an invitation is needed. */
  readonly provision_as: Role | null;
}

/** Whom a new identity belongs to: a user who gets it, or one who is made by an entry. */
type IdentityOwner =
  | { readonly outcome: "adds-to"; readonly user: UserRecord }
  | { readonly outcome: "enters"; readonly email: string; readonly entry: Entry }
  | { readonly outcome: IdentityRefusal };

/**
 * Decides whom an identity belongs to that no user has yet. It needs an e-mail that the provider has verified. It is added to the user
 * of that e-mail only if somebody vouches for it here too: else whoever had signed up with another person's address would get that
 * person's identity; and not to one who has another identity of the issuer, since an address is given to the next person while a
 * subject never is (OpenID Connect Core, 5.7). Without such a user it becomes a new one, if the e-mail was invited or the provider's domains admit it.
 */
export function decideIdentityOwner(identity: ProviderIdentity, known: KnownOfPerson): IdentityOwner {
  const { verified_email: email } = identity;
  if (email === null) return { outcome: "oidc_no_verified_email" };
  const { of_email, has_other, invitation, provision_as } = known;
  if (of_email !== null) {
    if (!maySignIn(of_email)) return { outcome: "oidc_user_disabled" };
    if (!of_email.email_verified) return { outcome: "oidc_email_in_use" };
    return has_other ? { outcome: "oidc_other_identity" } : { outcome: "adds-to", user: of_email };
  }
  const entry = invitation ?? (provision_as === null ? null : { role: provision_as, account_id: null });
  return entry === null ? { outcome: "oidc_not_invited" } : { outcome: "enters", email, entry };
}

/**
 * The invitation that lets in whoever has a verified e-mail: the newest that an administrator has sent. Nobody becomes a member of an account
 * by an owner's invitation without opening its link. `unused`: the unused links of the e-mail.
 */
export function invitationFor(unused: readonly LinkRecord[], now_ms: number): LinkRecord | null {
  const open = unused.filter((link) => isVouchedInvitation(link) && isOpenLink({ ...link, used_ms: null }, now_ms));
  return open.toSorted((one, other) => other.created_ms - one.created_ms)[0] ?? null;
}

function isVouchedInvitation({ purpose, vouched }: LinkRecord): boolean {
  return purpose === "invitation" && vouched;
}
