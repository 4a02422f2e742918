/** Identifiers: a prefix that names the kind, then 128 random bits in base 62, which sort nowhere and guess nothing. */

export const BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 22;
const pool = new Uint8Array(4096);
let used = pool.length;

/** Random base-62 text. Bytes above the last multiple of 62 are thrown away, so each character is equally likely. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) text += BASE62_ALPHABET[byte % 62];
  }
  return text;
}

/** A new identifier such as `req_3fK…`: for requests, accounts, keys, ledger entries and nodes. */
export function newId(prefix: "req" | "acct" | "key" | "ent" | "node" | "chatcmpl" | "resp" | "msg"): string {
  return `${prefix}_${randomBase62(ID_LENGTH)}`;
}
