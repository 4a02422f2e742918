import type { Role } from "./users.ts";

/** A company's sign-in, by OpenID Connect (docs/configuration.md Console). */
export interface OidcProvider {
  /** Its name in the configuration and in addresses. */
  readonly id: string;
  /** Its name on the button. */
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  /**
   * Whoever has a verified e-mail in one of these may come in without an invitation. Empty: only who was invited, or has
   * added the provider to their user.
   */
  readonly allowed_domains: readonly string[];
  /** What they become then. */
  readonly default_role: Role;
}

export interface ConsoleSettings {
  /** Where browsers find the gateway, `https://host[:port]`; null: where the request says that it went. */
  readonly public_url: string | null;
  /** Whether a proxy in front adds `x-forwarded-for`, whose last address is then taken as the client's. */
  readonly behind_proxy: boolean;
  readonly oidc: readonly OidcProvider[];
}

export const DEFAULT_CONSOLE_SETTINGS: ConsoleSettings = { public_url: null, behind_proxy: false, oidc: [] };
