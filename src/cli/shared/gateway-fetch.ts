import type { CliDeps, Fetch } from "./deps.ts";

/** Has the runtime ignore the variables for proxies. Its types do not have this option; `gateway-fetch.test.ts` proves that it works. */
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
