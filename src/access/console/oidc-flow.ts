import type { OidcProvider } from "../../core/catalog/console-settings.ts";

/** A sign-in that is in progress: stored by the gateway while the browser is at the provider. */
export interface OidcFlow {
  readonly provider: string;
  readonly redirect_uri: string;
  readonly code_verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** The console's address after the sign-in. */
  readonly return_to: string;
  /** The user who adds a way to sign in; null for a sign-in. */
  readonly user_id: string | null;
}

/** The provider refused, or its answer failed a check. */
export class OidcRefusal extends Error {
  override readonly name = "OidcRefusal";
}

/** The provider could not be reached. */
export class OidcUnavailable extends Error {
  override readonly name = "OidcUnavailable";
}

/** Whether a person with this e-mail, which the provider verified, may sign in without an invitation. */
export function isAllowedDomain({ allowed_domains }: OidcProvider, email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return allowed_domains.some((allowed) => allowed.toLowerCase() === domain);
}
