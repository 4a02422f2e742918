import { type Authenticator, PresentedKey } from "../../access/authenticator.ts";
import { type CredentialPolicy, readCredential } from "../../access/read-credential.ts";
import type { ClientHeaders } from "../../core/answer/exchange.ts";
import { isLater } from "../../core/later.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { KeyGate } from "./key-gate.ts";
import type { RateHolder } from "./read-gate.ts";

/** A request of an endpoint that only reads. */
export interface ReadRequest {
  readonly headers: ClientHeaders;
  readonly policy: CredentialPolicy;
  /** Monotonic time of arrival. */
  readonly arrived_ms: number;
  readonly rate_holder: RateHolder;
}

export interface ReaderDeps {
  readonly authenticator: Authenticator;
  readonly gate: KeyGate;
}

/**
 * Authenticates a request that only reads: reads its key from the database and counts the request in the key's rate for such requests
 * (docs/rulings.md 141). Throws the 401 codes of docs/api.md 5, and the 429. The database is not read for a key that was never made here,
 * nor for a known key whose rate is used up.
 */
export async function authenticateReader(
  { authenticator, gate }: ReaderDeps,
  reading: ReadRequest,
): Promise<KeyRecord> {
  const { headers, policy, arrived_ms, rate_holder } = reading;
  const presented = new PresentedKey(readCredential(headers, policy));
  const known = authenticator.lookup(presented);
  const is_fresh = isLater(known);
  if (!is_fresh) gate.reads.require(known, arrived_ms, rate_holder);
  const key = is_fresh ? await known : await authenticator.authenticate(presented.credential);
  gate.reads.take(key, arrived_ms, rate_holder);
  return key;
}
