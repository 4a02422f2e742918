import { GatewayError } from "../core/errors.ts";

/**
 * The headers in which an endpoint accepts its key (docs/api.md 4): `bearer` alone, or either of bearer and
 * `x-api-key`.
 */
export type CredentialPolicy = "bearer" | "either";

/** The part of a request's headers that is needed: `get` with lower-case names. */
export type HeaderReader = { get(name: string): string | null };

const SCHEME = "bearer";
const BEARER = /^bearer[ \t]+\S/i;

/**
 * The only function that takes a key from a request: one set of rules for every header (docs/rulings.md 2, 16). Throws
 * `missing_api_key` when the headers that the endpoint accepts contain no key, and `invalid_api_key` when two headers
 * disagree.
 */
export function readCredential(headers: HeaderReader, policy: CredentialPolicy): string {
  const bearer = readBearer(headers);
  const api_key = headers.get("x-api-key")?.trim() || null;
  if (bearer !== null && api_key !== null && bearer !== api_key) {
    throw new GatewayError(
      "invalid_api_key",
      "The Authorization and x-api-key headers hold different API keys. Send one of them.",
    );
  }
  const credential = policy === "bearer" ? bearer : (bearer ?? api_key);
  if (credential === null) throw new GatewayError("missing_api_key", explainMissing(policy, headers, api_key));
  return credential;
}

/** The token of an `Authorization: Bearer …` header, with the scheme in any case; null when there is none. */
export function readBearer(headers: HeaderReader): string | null {
  const authorization = headers.get("authorization")?.trim();
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  return authorization.slice(SCHEME.length + 1).trimStart();
}

function explainMissing(policy: CredentialPolicy, headers: HeaderReader, api_key: string | null): string {
  if (policy === "either") {
    return "No API key was sent. Send it as `Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`.";
  }
  const sent = "Send it as `Authorization: Bearer <API_KEY>`.";
  if (api_key !== null) return `This endpoint does not take the x-api-key header. ${sent}`;
  if (headers.get("authorization")) return `The Authorization header holds no bearer token. ${sent}`;
  return `No API key was sent. ${sent}`;
}
