import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { SubKeys } from "./sub-keys.ts";

/** The owner and place of an encrypted part: it opens only with these values. */
export interface CipherBinding {
  readonly account_id: string;
  readonly response_key: string;
  readonly parent_key: string | null;
  readonly part: string;
}

/** Increased when the format or the derivation of the keys changes. */
const VERSION = 1;
const NONCE_BYTES = 12;
const HEAD_BYTES = 1 + NONCE_BYTES;
const TAG_BYTES = 16;
const KEY_HEX = 32;
const CIPHER = "aes-256-gcm";
/** Up to this size encrypting takes less time than handing the data to another thread. */
const AT_ONCE_BYTES = 128 * 1024;

/**
 * Encryption of stored responses: AES-256-GCM under a sub-key of the operator's secret, each part with a nonce of its
 * own and bound to its account, its response, the response before it, and the part's name. Ids become keyed hashes, so
 * that the tables contain no text that a client or vendor chose.
 */
export class ResponseCipher {
  readonly #id_key: Uint8Array;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #key: Promise<CryptoKey>;

  constructor(keys: Pick<SubKeys, "stored_response" | "stored_response_id">) {
    this.#id_key = keys.stored_response_id;
    this.#bytes = new Uint8Array(keys.stored_response);
    this.#key = crypto.subtle.importKey("raw", this.#bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  }

  /** The key of a response or an item: 32 hexadecimal digits. An id has a different key on each account. */
  keyOf(account_id: string, id: string): string {
    return createHmac("sha256", this.#id_key).update(`${account_id}\n${id}`).digest("hex").slice(0, KEY_HEX);
  }

  /** Encrypts; large data off the calling thread. */
  async encrypt(binding: CipherBinding, plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const head = Buffer.concat([Buffer.of(VERSION), iv]);
    if (plain.byteLength <= AT_ONCE_BYTES) {
      const cipher = createCipheriv(CIPHER, this.#bytes, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(binding));
      return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    }
    const parameters = { name: "AES-GCM", iv, additionalData: boundTo(binding) };
    const ciphertext = await crypto.subtle.encrypt(parameters, await this.#key, plain);
    return Buffer.concat([head, new Uint8Array(ciphertext)]);
  }

  /**
   * The decrypted data; null where they were encrypted under another secret or for another binding, or were changed.
   */
  async decrypt(binding: CipherBinding, encrypted: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null> {
    if (encrypted[0] !== VERSION || encrypted.byteLength < HEAD_BYTES + TAG_BYTES) return null;
    const iv = new Uint8Array(encrypted.subarray(1, HEAD_BYTES));
    const ciphertext = new Uint8Array(encrypted.subarray(HEAD_BYTES));
    try {
      if (ciphertext.byteLength <= AT_ONCE_BYTES) return this.#openNow(binding, iv, ciphertext);
      const parameters = { name: "AES-GCM", iv, additionalData: boundTo(binding) };
      return new Uint8Array(await crypto.subtle.decrypt(parameters, await this.#key, ciphertext));
    } catch {
      return null;
    }
  }

  #openNow(binding: CipherBinding, iv: Uint8Array, ciphertext: Uint8Array): Uint8Array<ArrayBuffer> {
    const decipher = createDecipheriv(CIPHER, this.#bytes, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(binding));
    decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
    return new Uint8Array(Buffer.concat([decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()]));
  }
}

function boundTo({ account_id, response_key, parent_key, part }: CipherBinding): Uint8Array<ArrayBuffer> {
  const text = `camino stored response ${VERSION} ${account_id} ${response_key} ${parent_key ?? "-"} ${part}`;
  return new Uint8Array(Buffer.from(text));
}
