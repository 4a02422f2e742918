import { createHmac } from "node:crypto";
import type { SubKeys } from "./sub-keys.ts";

/** What a sealed part belongs to: it opens nowhere else. */
export interface SealBinding {
  readonly account_id: string;
  readonly response_key: string;
  readonly parent_key: string | null;
  readonly part: string;
}

/** Counted up when the format or the keys' derivation changes. */
const VERSION = 1;
const NONCE_BYTES = 12;
const HEAD_BYTES = 1 + NONCE_BYTES;
const KEY_HEX = 32;

/**
 * Stored responses at rest: AES-256-GCM under a sub-key of the operator's secret, each part with a nonce of its own and
 * bound to its account, its response, the response before it and what part it is. Ids become keyed hashes, so that the
 * tables hold nothing that a client or vendor made up.
 */
export class ResponseSeal {
  readonly #id_key: Uint8Array;
  readonly #key: Promise<CryptoKey>;

  constructor(keys: Pick<SubKeys, "stored_response" | "stored_response_id">) {
    this.#id_key = keys.stored_response_id;
    const bytes = new Uint8Array(keys.stored_response);
    this.#key = crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  }

  /** The key of a response or an item: 32 hexadecimal digits. The same id has another one on another account. */
  keyOf(account_id: string, id: string): string {
    return createHmac("sha256", this.#id_key).update(`${account_id}\n${id}`).digest("hex").slice(0, KEY_HEX);
  }

  /** Off the serving thread. */
  async seal(binding: SealBinding, plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const parameters = { name: "AES-GCM", iv, additionalData: boundTo(binding) };
    const ciphertext = await crypto.subtle.encrypt(parameters, await this.#key, plain);
    const sealed = new Uint8Array(HEAD_BYTES + ciphertext.byteLength);
    sealed[0] = VERSION;
    sealed.set(iv, 1);
    sealed.set(new Uint8Array(ciphertext), HEAD_BYTES);
    return sealed;
  }

  /** What was sealed; null where it was sealed under another secret, for something else, or was changed. */
  async open(binding: SealBinding, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null> {
    if (sealed[0] !== VERSION || sealed.byteLength < HEAD_BYTES) return null;
    const iv = new Uint8Array(sealed.subarray(1, HEAD_BYTES));
    const parameters = { name: "AES-GCM", iv, additionalData: boundTo(binding) };
    try {
      const ciphertext = new Uint8Array(sealed.subarray(HEAD_BYTES));
      return new Uint8Array(await crypto.subtle.decrypt(parameters, await this.#key, ciphertext));
    } catch {
      return null;
    }
  }
}

function boundTo({ account_id, response_key, parent_key, part }: SealBinding): Uint8Array<ArrayBuffer> {
  const text = `camino stored response ${VERSION} ${account_id} ${response_key} ${parent_key ?? "-"} ${part}`;
  return new Uint8Array(Buffer.from(text));
}
