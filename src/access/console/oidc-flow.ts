import type { OidcProvider } from "../../core/console-settings.ts";

/** A sign-in that is under way: kept here, while the browser is at the provider. */
export interface OidcFlow {
  readonly provider: string;
  readonly redirect_uri: string;
  readonly code_verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Where the browser goes afterwards. */
  readonly return_to: string;
  /** Who adds a way to sign in; null for a sign-in. */
  readonly user_id: string | null;
}

/** The provider said no, or said something that cannot be believed. */
export class OidcRefusal extends Error {
  override readonly name = "OidcRefusal";
}

/** The provider could not be asked. */
export class OidcUnavailable extends Error {
  override readonly name = "OidcUnavailable";
}

/** Whether an e-mail that a provider verified may come in without an invitation. */
export function isAllowedDomain({ allowed_domains }: OidcProvider, email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return allowed_domains.some((allowed) => allowed.toLowerCase() === domain);
}
