import type { HeaderReader } from "../../access/read-credential.ts";
import type { ConsoleSettings } from "../../core/console-settings.ts";

/** Where a request comes from, as its connection and its browser's headers say. */
export interface Visit {
  /** The client's IP address; null where it is unknown. */
  readonly address: string | null;
  readonly user_agent: string | null;
  /** The origin at which the browser finds the console: `https://host[:port]`. */
  readonly origin: string;
  /** Whether a page of the console sent the request; `unknown` where no header says so (a command, a test). */
  readonly site: "own" | "other" | "unknown";
  /** The token of the session's cookie. */
  readonly session_token: string | null;
  readonly csrf_token: string | null;
  /** The cookie of a sign-in at a provider that is under way. */
  readonly flow_token: string | null;
  /** The `Idempotency-Key`, by which a booking is made once. */
  readonly idempotency_key: string | null;
}

/** The visit of a call that did not come through the edge. */
export const NO_VISIT: Visit = {
  address: null,
  user_agent: null,
  origin: "http://localhost",
  site: "unknown",
  session_token: null,
  csrf_token: null,
  flow_token: null,
  idempotency_key: null,
};

export const SESSION_COOKIE = "camino_session";
export const FLOW_COOKIE = "camino_sign_in";

/** Reads a visit from a request's headers. `peer` is the address at the other end of the connection. */
export function readVisit(headers: HeaderReader, peer: string | null, settings: ConsoleSettings): Visit {
  const origin = settings.public_url ?? originOf(headers);
  const cookies = readCookies(headers.get("cookie"));
  return {
    address: (settings.behind_proxy ? lastForwarded(headers) : null) ?? peer,
    user_agent: headers.get("user-agent"),
    origin,
    site: siteOf(headers, origin),
    session_token: cookies.get(SESSION_COOKIE) ?? null,
    csrf_token: headers.get("x-camino-csrf"),
    flow_token: cookies.get(FLOW_COOKIE) ?? null,
    idempotency_key: headers.get("idempotency-key"),
  };
}

/** The origin that the request's headers name. A false header harms only its own sender, who gets the answer. */
function originOf(headers: HeaderReader): string {
  const scheme = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http";
  const host = headers.get("x-forwarded-host")?.split(",")[0]?.trim() || headers.get("host") || "localhost";
  return URL.parse(`${scheme}://${host}`)?.origin ?? "http://localhost";
}

/** Reads `sec-fetch-site`, else `origin`, which is all that older browsers and plain http send. */
function siteOf(headers: HeaderReader, origin: string): Visit["site"] {
  const fetch_site = headers.get("sec-fetch-site");
  if (fetch_site !== null) return fetch_site === "same-origin" || fetch_site === "none" ? "own" : "other";
  const from = headers.get("origin");
  if (from === null) return "unknown";
  return from === origin ? "own" : "other";
}

/** The last address, which the proxy itself saw; the addresses before it came with the request and may be false. */
function lastForwarded(headers: HeaderReader): string | null {
  return headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() || null;
}

function readCookies(header: string | null): Bun.CookieMap {
  return new Bun.CookieMap(header ?? "");
}

interface CookieParts {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** 0 removes the cookie. */
  readonly max_age_s: number;
}

/** A cookie that scripts cannot read and other sites' forms cannot send. */
export function cookie({ origin }: Visit, { name, value, path, max_age_s }: CookieParts): string {
  const secure = origin.startsWith("https:");
  return new Bun.Cookie(name, value, { path, httpOnly: true, sameSite: "lax", secure, maxAge: max_age_s }).serialize();
}
