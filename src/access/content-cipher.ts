import { createHmac } from "node:crypto";
import { ResponseCipher } from "./response-cipher.ts";
import type { SubKeys } from "./sub-keys.ts";

/** So many accounts' ciphers are remembered: making one takes microseconds. */
const MOST_REMEMBERED = 1000;

/**
 * Encryption of what was said, under a key for each account (docs/rulings.md 184): one account's key opens nothing of
 * another's.
 */
export class ContentCipher {
  readonly #root: Uint8Array;
  readonly #ciphers = new Map<string, ResponseCipher>();

  constructor(keys: Pick<SubKeys, "content">) {
    this.#root = keys.content;
  }

  /** The keyed hash of an end user's id, which differs on each account. */
  userKeyOf(account_id: string, user: string): string {
    return this.#of(account_id).keyOf(account_id, user);
  }

  encrypt(account_id: string, request_id: string, plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return this.#of(account_id).encrypt(bindingOf(account_id, request_id), plain);
  }

  /** Null for what was encrypted under another secret or for another request, or was changed. */
  decrypt(account_id: string, request_id: string, encrypted: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#of(account_id).decrypt(bindingOf(account_id, request_id), encrypted);
  }

  #of(account_id: string): ResponseCipher {
    const known = this.#ciphers.get(account_id);
    if (known !== undefined) return known;
    if (this.#ciphers.size >= MOST_REMEMBERED) this.#ciphers.clear();
    const derived = (purpose: string): Uint8Array =>
      createHmac("sha256", this.#root).update(`${purpose} ${account_id}`).digest();
    const cipher = new ResponseCipher({ stored_response: derived("content"), stored_response_id: derived("end user") });
    this.#ciphers.set(account_id, cipher);
    return cipher;
  }
}

function bindingOf(account_id: string, request_id: string) {
  return { account_id, response_key: request_id, parent_key: null, part: "content" };
}
