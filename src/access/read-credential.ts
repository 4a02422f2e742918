import type { ClientHeaders } from "../core/answer/exchange.ts";
import { GatewayError } from "../core/errors.ts";

/**
 * The headers in which an endpoint accepts its key (docs/api.md 4): `bearer` alone, either of bearer and `x-api-key`, `google` for
 * either of bearer and `x-goog-api-key`, or any of the three.
 */
export type CredentialPolicy = "bearer" | "either" | "google" | "any";

const SCHEME = "bearer";
const BEARER = /^bearer[ \t]+\S/i;

/**
 * The only function that takes a key from a request: one set of rules for every header (docs/rulings.md 2, 16). Throws
 * `missing_api_key` when the headers that the endpoint accepts contain no key, and `invalid_api_key` when two headers
 * disagree.
 */
export function readCredential(headers: ClientHeaders, policy: CredentialPolicy): string {
  const bearer = readBearer(headers);
  const api_key = headers.get("x-api-key")?.trim() || null;
  const google_key = policy === "google" || policy === "any" ? headers.get("x-goog-api-key")?.trim() || null : null;
  refuseDifferent(["Authorization", bearer], ["x-api-key", api_key]);
  refuseDifferent(["Authorization", bearer], ["x-goog-api-key", google_key]);
  refuseDifferent(["x-api-key", api_key], ["x-goog-api-key", google_key]);
  const taken = { bearer: null, either: api_key, google: google_key, any: api_key ?? google_key }[policy];
  const credential = bearer ?? taken;
  if (credential === null) throw new GatewayError("missing_api_key", explainMissing(policy, headers, api_key));
  return credential;
}

type Presented = readonly [header: string, key: string | null];

function refuseDifferent([header, key]: Presented, [other_header, other_key]: Presented): void {
  if (key === null || other_key === null || key === other_key) return;
  throw new GatewayError(
    "invalid_api_key",
    `The ${header} and ${other_header} headers hold different API keys. Send one of them.`,
  );
}

/** The token of an `Authorization: Bearer …` header, with the scheme in any case; null when there is none. */
export function readBearer(headers: ClientHeaders): string | null {
  const authorization = headers.get("authorization")?.trim();
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  return authorization.slice(SCHEME.length + 1).trimStart();
}

function explainMissing(policy: CredentialPolicy, headers: ClientHeaders, api_key: string | null): string {
  if (policy === "google")
    return "No API key was sent. Send it as `x-goog-api-key: <API_KEY>` or `Authorization: Bearer <API_KEY>`.";
  if (policy === "either" || policy === "any") {
    return "No API key was sent. Send it as `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.";
  }
  const sent = "Send it as `Authorization: Bearer <API_KEY>`.";
  if (api_key !== null) return `This endpoint does not take the x-api-key header. ${sent}`;
  if (headers.get("authorization")) return `The Authorization header holds no bearer token. ${sent}`;
  return `No API key was sent. ${sent}`;
}
