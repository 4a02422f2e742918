import type { Environment } from "../core/environment.ts";
/** Settings of the environment for HTTP clients that the runtime's fetch supports and our own client does not. */
export interface FetchOnlySettings {
  /** Schemes whose URLs go through a proxy: fetch knows which proxy, and which hosts are excepted. */
  readonly proxied: readonly string[];
  /** Addresses that are asked past the proxies, whatever the environment says. Default: none. */
  readonly isDirect?: (url: URL) => boolean;
  /** Whether the environment turns certificate checks off: our own client always checks. */
  readonly unverified: boolean;
}

/**
 * Reads the environment as the runtime's fetch does (proxy variables count in small and capital letters)
 * (docs/rulings.md 129).
 */
export function fetchOnlySettings(env: Environment, isDirect?: (url: URL) => boolean): FetchOnlySettings {
  const isSet = (name: string) => Boolean(env[name]) || Boolean(env[name.toUpperCase()]);
  const all = isSet("all_proxy");
  const proxied: string[] = [];
  if (all || isSet("http_proxy")) proxied.push("http:");
  if (all || isSet("https_proxy")) proxied.push("https:");
  return { proxied, unverified: env.NODE_TLS_REJECT_UNAUTHORIZED === "0", ...(isDirect && { isDirect }) };
}
