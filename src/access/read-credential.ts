import { GatewayError } from "../core/errors.ts";

/** Which headers an endpoint takes its key from (docs/api.md 4): `bearer` only, or bearer and `x-api-key` alike. */
export type CredentialPolicy = "bearer" | "either";

/** All that is needed of a request's headers: `get` with lower-case names. */
export type HeaderReader = { get(name: string): string | null };

const SCHEME = "bearer";
const BEARER = /^bearer[ \t]+\S/i;

/**
 * The one place where a key is taken from a request: whatever header it came in, the same rules follow
 * (docs/rulings.md 2, 16). Throws `missing_api_key` when the headers that the endpoint takes have none, and
 * `invalid_api_key` when two headers disagree.
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

/** The token of an `Authorization: Bearer …` header, whatever the scheme's case; null when there is none. */
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
