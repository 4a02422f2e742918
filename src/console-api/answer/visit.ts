import { clientAddress } from "../../access/client-address.ts";
import type { ClientHeaders } from "../../core/answer/exchange.ts";
import type { ConsoleSettings } from "../../core/catalog/console-settings.ts";

/** The origin of a request, by its connection and its browser's headers. */
export interface Visit {
  /** The client's IP address; null where it is unknown. */
  readonly address: string | null;
  readonly user_agent: string | null;
  /** The origin at which the browser finds the console: `https://host[:port]`. */
  readonly origin: string;
  /** The mark of the gateway in the names of its cookies. */
  readonly gateway: string;
  /** Whether a page of the console sent the request; `unknown` where no header says so (a command, a test). */
  readonly site: "own" | "other" | "unknown";
  /** The token of the session's cookie. */
  readonly session_token: string | null;
  readonly csrf_token: string | null;
  /** The cookie of a sign-in at a provider that is under way. */
  readonly flow_token: string | null;
  /** The cookie of a browser in which a user has signed in before. */
  readonly browser_token: string | null;
  /** The `Idempotency-Key`, by which a booking is made once. */
  readonly idempotency_key: string | null;
}

/** The visit of a call that was made inside the process, without HTTP. */
export const NO_VISIT: Visit = {
  address: null,
  user_agent: null,
  origin: "http://localhost",
  gateway: "",
  site: "unknown",
  session_token: null,
  csrf_token: null,
  flow_token: null,
  browser_token: null,
  idempotency_key: null,
};

export const SESSION_COOKIE = "camino_session";
export const FLOW_COOKIE = "camino_sign_in";
export const BROWSER_COOKIE = "camino_browser";

/** Reads a visit from a request's headers. `peer` is the address at the other end of the connection. */
export function readVisit(
  headers: ClientHeaders,
  peer: string | null,
  settings: ConsoleSettings,
  gateway: string,
): Visit {
  const origin = settings.public_url ?? originOf(headers);
  const cookies = new Bun.CookieMap(headers.get("cookie") ?? "");
  const read = (name: string): string | null => cookies.get(sentName(name, { origin, gateway })) ?? null;
  return {
    address: clientAddress(headers, peer, settings.behind_proxy),
    user_agent: headers.get("user-agent"),
    origin,
    gateway,
    site: siteOf(headers, origin),
    session_token: read(SESSION_COOKIE),
    csrf_token: headers.get("x-camino-csrf"),
    flow_token: read(FLOW_COOKIE),
    browser_token: read(BROWSER_COOKIE),
    idempotency_key: headers.get("idempotency-key"),
  };
}

/** The origin that the request's headers name. A false header harms only its own sender, who gets the answer. */
function originOf(headers: ClientHeaders): string {
  const scheme = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http";
  const host = headers.get("x-forwarded-host")?.split(",")[0]?.trim() || headers.get("host") || "localhost";
  return URL.parse(`${scheme}://${host}`)?.origin ?? "http://localhost";
}

/** Reads `sec-fetch-site`, else `origin`, which is all that older browsers and plain http send. */
function siteOf(headers: ClientHeaders, origin: string): Visit["site"] {
  const fetch_site = headers.get("sec-fetch-site");
  if (fetch_site !== null) return fetch_site === "same-origin" || fetch_site === "none" ? "own" : "other";
  const from = headers.get("origin");
  if (from === null) return "unknown";
  return from === origin ? "own" : "other";
}

type CookiePlace = Pick<Visit, "origin" | "gateway">;

interface CookieParts {
  readonly name: string;
  readonly value: string;
  /** Below /console; default: all of it. Under https browsers want no path for a cookie of this host alone. */
  readonly path?: string;
  /** 0 removes the cookie. */
  readonly max_age_s: number;
}

/**
 * A cookie that scripts cannot read and other sites' forms cannot send. Under https its name says to browsers that only
 * this very host, over https, may have set it: a neighbour below the same domain cannot plant one (RFC 6265bis, 4.1.3.2).
 */
export function cookie(place: CookiePlace, parts: CookieParts): string {
  const secure = isHttps(place.origin);
  const path = secure ? "/" : (parts.path ?? "/console");
  const name = sentName(parts.name, place);
  const options = { path, httpOnly: true, sameSite: "lax", secure, maxAge: parts.max_age_s } as const;
  return new Bun.Cookie(name, parts.value, options).serialize();
}

/** A cookie's name at an origin. Browsers keep cookies by host, without its port: several gateways on one host need names of their own. */
function sentName(name: string, { origin, gateway }: CookiePlace): string {
  const own = gateway === "" ? name : `${name}_${gateway}`;
  return isHttps(origin) ? `__Host-${own}` : own;
}

function isHttps(origin: string): boolean {
  return origin.startsWith("https:");
}
