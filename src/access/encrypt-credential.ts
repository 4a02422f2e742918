import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/**
 * Encryption of stored vendor credentials: AES-256-GCM under a sub-key of the operator's secret, each with a nonce of
 * its own. The vendor's id and the key's version are authenticated too, so that a row that was moved to another vendor
 * does not open, nor does a row that was changed.
 */
export interface EncryptedCredential {
  /** The version of the sub-key's derivation. */
  readonly key_version: number;
  /** Base64. */
  readonly nonce: string;
  /** Base64, with the authentication tag at its end. */
  readonly ciphertext: string;
}

/** Increased when the derivation of the sub-key changes. */
const KEY_VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text for one vendor; `key` is SubKeys.vendor_credential. */
export function encryptCredential(key: Uint8Array, vendor_id: string, text: string): EncryptedCredential {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(vendor_id, KEY_VERSION));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { key_version: KEY_VERSION, nonce: nonce.toString("base64"), ciphertext: encrypted.toString("base64") };
}

/** The text that was encrypted for this vendor with this key; null for another vendor or key, or for changed data. */
export function decryptCredential(key: Uint8Array, vendor_id: string, encrypted: EncryptedCredential): string | null {
  const nonce = Buffer.from(encrypted.nonce, "base64");
  const bytes = Buffer.from(encrypted.ciphertext, "base64");
  if (encrypted.key_version !== KEY_VERSION || nonce.length !== NONCE_BYTES || bytes.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(vendor_id, encrypted.key_version));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function boundTo(vendor_id: string, key_version: number): Buffer {
  return Buffer.from(`camino vendor credential ${key_version} ${vendor_id}`, "utf8");
}
