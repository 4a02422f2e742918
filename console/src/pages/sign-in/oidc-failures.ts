import type { OidcFailure } from "../../../../contract/session.ts";

/** Sentences for the contract's codes. Importing the contract's constants would load the schema library. */
const TEXTS: Readonly<Record<OidcFailure, string>> = {
  oidc_unavailable: "The provider cannot be reached. Try again, or sign in another way.",
  oidc_denied: "The provider did not confirm the sign-in.",
  oidc_expired: "The sign-in took too long or was started in another browser. Try again.",
  oidc_no_verified_email: "The provider has not verified your e-mail address.",
  oidc_not_invited: "There is no user with your e-mail address here. Ask an administrator for an invitation.",
  oidc_email_in_use:
    "There is a user with your e-mail address already. Sign in another way, then add the provider in your settings.",
  oidc_other_identity:
    "The user with your e-mail address signs in by another identity of this provider. Ask an administrator for a link to set a password, then exchange the identity in your settings.",
  oidc_identity_in_use: "This identity belongs to another user already.",
  oidc_user_disabled: "Your user is disabled. Ask an administrator.",
};

/** The sentence for `?error=CODE`. */
export function failureText(code: string): string {
  return (TEXTS as Readonly<Record<string, string>>)[code] ?? "The sign-in failed. Try again.";
}
