import type { Role } from "../people/users.ts";

/** A company's identity provider, by OpenID Connect (docs/configuration.md Console). */
export interface OidcProvider {
  /** Its name in the configuration and in addresses. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  /**
   * People whose verified e-mail is in one of these domains may sign in without an invitation. Empty: only people who
   * were invited, or who added the provider to their user, may.
   */
  readonly allowed_domains: readonly string[];
  /** The role of a user who signs in without an invitation. */
  readonly default_role: Role;
}

export interface ConsoleSettings {
  /** The address at which browsers reach the gateway, `https://host[:port]`; null: the host that the request names. */
  readonly public_url: string | null;
  /** Whether a proxy in front adds `x-forwarded-for`, whose last address is then taken as the client's. */
  readonly behind_proxy: boolean;
  readonly oidc: readonly OidcProvider[];
  /** The contact for people who need credit or access: an e-mail, an address, or a few words. Left out: the console names no contact. */
  readonly contact?: string;
}

/**
 * The headers that keep browsers at https, where the operator says that the console is reached by it. Not for what a single
 * request's headers claim: a browser remembers it for the whole host, every port included.
 */
export function transportHeaders({ public_url }: Pick<ConsoleSettings, "public_url">): Record<string, string> {
  return public_url?.startsWith("https:") ? { "strict-transport-security": "max-age=15552000" } : {};
}

export const DEFAULT_CONSOLE_SETTINGS: ConsoleSettings = { public_url: null, behind_proxy: false, oidc: [] };
