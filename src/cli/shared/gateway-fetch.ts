import type { CliDeps, Fetch } from "./deps.ts";

/** Against the variables for proxies. The runtime's types do not know it; `gateway-fetch.test.ts` holds it to that. */
const PAST_ANY_PROXY: object = { proxy: false };

/**
 * Sends a request to a gateway. One at a loopback address is never asked through a proxy, whatever the variables say: the proxy would read the
 * admin token, and reach another machine by that address.
 */
export function gatewayFetch({ fetch }: Pick<CliDeps, "fetch">): Fetch {
  return (url, init) => fetch(url, isThisMachine(new URL(url)) ? { ...init, ...PAST_ANY_PROXY } : init);
}

/** Whether an address can only be this machine's. */
export function isThisMachine({ hostname: host }: URL): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || host === "0.0.0.0" || /^127\./.test(host)
  );
}
