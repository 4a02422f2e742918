import { hkdfSync } from "node:crypto";

/**
 * Keys that are derived from the operator's secret, one for each purpose: whoever learns one of them learns nothing
 * about the others or the secret.
 */
export interface SubKeys {
  /** Signs API keys, so that a forged key is refused without a database read. */
  readonly key_mac: Uint8Array;
  /** Hashes API keys for storage, so that a stolen table cannot be tested against guesses. */
  readonly key_hash: Uint8Array;
  /** Signs console sessions and one-time sign-in links. */
  readonly session: Uint8Array;
  /** Encrypts vendor credentials at rest: 32 bytes, as AES-256 takes them. */
  readonly vendor_credential: Uint8Array;
  /** Encrypts stored responses: 32 bytes, as AES-256 takes them. */
  readonly stored_response: Uint8Array;
  /** Hashes the ids of stored responses and of their items. */
  readonly stored_response_id: Uint8Array;
  /** Encrypts the addresses of alerts' targets: 32 bytes, as AES-256 takes them. */
  readonly target_address: Uint8Array;
  /** Makes the secrets with which what goes to targets is signed. */
  readonly target_secret: Uint8Array;
  /** The keys of accounts are derived from it, under which what was said is encrypted, and the ids of their end users are hashed. */
  readonly content: Uint8Array;
}

/** A shorter secret could be guessed by trying, and all other keys depend on it (docs/rulings.md 64). */
export const MIN_SECRET_LENGTH = 16;

/**
 * Derives every sub-key from `CAMINO_SECRET` (HKDF-SHA256). Equal secrets give equal keys: changing the secret makes
 * every API key, session, stored vendor credential and stored response unreadable. Throws a RangeError on a secret that
 * is too short.
 */
export function deriveSubKeys(secret: string): SubKeys {
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new RangeError(
      `CAMINO_SECRET has ${secret.length} characters; it needs at least ${MIN_SECRET_LENGTH}. ` +
        "Leave it unset to have one generated into the data directory.",
    );
  }
  return {
    key_mac: derive(secret, "camino api-key mac v1"),
    key_hash: derive(secret, "camino api-key hash v1"),
    session: derive(secret, "camino console session v1"),
    vendor_credential: derive(secret, "camino vendor credential v1"),
    stored_response: derive(secret, "camino stored response v1"),
    stored_response_id: derive(secret, "camino stored response id v1"),
    target_address: derive(secret, "camino target address v1"),
    target_secret: derive(secret, "camino target secret v1"),
    content: derive(secret, "camino content v1"),
  };
}

/**
 * A number of 48 bits by which a secret is known again, and which tells nothing about the keys that are derived from it. Guards against
 * mistakes, not against forgers.
 */
export function fingerprintOf(secret: string): number {
  return Buffer.from(derive(secret, "camino secret fingerprint v1")).readUIntBE(0, 6);
}

function derive(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
}
