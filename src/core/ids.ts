import { systemClock } from "./clock.ts";

/** Identifiers: a prefix that names the kind, then 22 characters of base 62 that nobody can guess. */

export const BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 22;
const pool = new Uint8Array(4096);
let used = pool.length;

/** Characters are gathered here, so that a text is made in one go. */
const scratch = Buffer.alloc(64);
const ALPHABET_BYTES = Buffer.from(BASE62_ALPHABET);

/** Random base-62 text. Bytes above the last multiple of 62 are thrown away, so each character is equally likely. */
export function randomBase62(length: number): string {
  const characters = length <= scratch.length ? scratch : Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) characters[at++] = ALPHABET_BYTES[byte % 62] as number;
  }
  return characters.toString("latin1", 0, length);
}

/** The kinds of things behind the console's sign-in. */
type ConsolePrefix = "user" | "sess" | "link" | "pass" | "chal" | "aud";

/** Characters of a request's id that tell its time: enough for 6,900 years of milliseconds. */
const TIME_LENGTH = 8;

/**
 * A new identifier such as `req_0VLk…`: for requests, accounts, keys, ledger entries and nodes. Those of requests begin
 * with the time, so that a database's index of them grows at one end only: with ids that sort nowhere, each request would
 * touch a page of its own. 83 random bits follow.
 */
export function newId(
  prefix: "req" | "acct" | "key" | "ent" | "node" | "chatcmpl" | "resp" | "msg" | ConsolePrefix,
): string {
  if (prefix !== "req") return `${prefix}_${randomBase62(ID_LENGTH)}`;
  return `req_${timeText()}${randomBase62(ID_LENGTH - TIME_LENGTH)}`;
}

let text_ms = -1;
let text = "";

/** The time in base 62, most significant digit first, so that it sorts as text. */
function timeText(): string {
  const now_ms = systemClock.now_ms();
  if (now_ms === text_ms) return text;
  text_ms = now_ms;
  text = "";
  for (let rest = now_ms; text.length < TIME_LENGTH; rest = Math.floor(rest / 62))
    text = `${BASE62_ALPHABET[rest % 62]}${text}`;
  return text;
}
