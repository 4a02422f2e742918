import { isIP } from "node:net";
import type { ClientHeaders } from "../core/answer/exchange.ts";

/**
 * The address of the client: the connection's, or where a proxy is configured the last one of `x-forwarded-for`, which the
 * proxy itself saw. The addresses before it came with the request and may be false. Some proxies write the client's port behind
 * its address, which says nothing of who it is; what is no address (`unknown`) leaves the connection's.
 */
export function clientAddress(headers: ClientHeaders, peer: string | null, behind_proxy: boolean): string | null {
  const forwarded = behind_proxy ? headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (forwarded === undefined ? null : addressOf(forwarded)) ?? peer;
}

/** The address in `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`; null in anything else. */
function addressOf(text: string): string | null {
  const bare = /^([\d.]+):\d+$/.exec(text)?.[1] ?? /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? null : bare;
}
