/** What the environment asks of HTTP clients that the runtime's fetch knows how to do, and our own client does not. */
export interface LeftToFetch {
  /** Schemes whose URLs are asked for through a proxy: fetch knows which one, and which hosts are excepted. */
  readonly proxied: readonly string[];
  /** Whether certificates are not to be verified: our own client always verifies them. */
  readonly unverified: boolean;
}

/** Reads the environment as the runtime's fetch does (variables of proxies count in both spellings). */
export function leftToFetch(env: Readonly<Record<string, string | undefined>>): LeftToFetch {
  const isSet = (name: string) => Boolean(env[name]) || Boolean(env[name.toUpperCase()]);
  const all = isSet("all_proxy");
  const proxied: string[] = [];
  if (all || isSet("http_proxy")) proxied.push("http:");
  if (all || isSet("https_proxy")) proxied.push("https:");
  return { proxied, unverified: env.NODE_TLS_REJECT_UNAUTHORIZED === "0" };
}
