import { systemClock } from "./clock.ts";

/** Identifiers: a prefix that names the kind, then 22 characters of base 62 that nobody can guess. */

export const BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 22;
const pool = new Uint8Array(4096);
let used = pool.length;

/** Characters are collected in this buffer, so that a text is made in one step. */
const scratch = Buffer.alloc(64);
const ALPHABET_BYTES = Buffer.from(BASE62_ALPHABET);

/** Gives a number of characters of base 62: at random, or for an `Idempotency-Key`. */
export type DrawText = (length: number) => string;

/** Random base-62 text. */
export function randomBase62(length: number): string {
  const characters = length <= scratch.length ? scratch : Buffer.alloc(length);
  writeRandom(characters, 0, length);
  return characters.toString("latin1", 0, length);
}

/** Writes random base-62 characters. Bytes above the last multiple of 62 are thrown away, so each is equally likely. */
function writeRandom(characters: Buffer, start: number, end: number): void {
  for (let at = start; at < end; ) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) characters[at++] = ALPHABET_BYTES[byte % 62] as number;
  }
}

/** The kinds of things behind the console's sign-in. */
type ConsolePrefix = "user" | "sess" | "link" | "pass" | "chal" | "aud" | "mkey" | "prompt" | "tgt" | "dlv";

/** How many characters of a request's id hold its time: enough for 6,900 years of milliseconds. */
const TIME_LENGTH = 8;

/**
 * A new identifier such as `req_0VLk…`: for requests, accounts, keys, ledger entries and nodes. Ids of requests begin
 * with the time, so that a database's index of them grows at one end only: with random ids, each request would touch
 * another page. 83 random bits follow the time.
 */
export function newId(
  prefix: "req" | "acct" | "key" | "ent" | "node" | "chatcmpl" | "resp" | "msg" | "proj" | ConsolePrefix,
  draw: DrawText = randomBase62,
): string {
  return prefix === "req" ? newRequestId() : `${prefix}_${draw(ID_LENGTH)}`;
}

/** The eight characters of an account's id that end here begin the ids of its keys. */
const OF_ACCOUNT_END = "acct_".length + 8;

/**
 * A new identifier of a key. It begins like its account's, so that rows by key lie beside rows by account, and
 * a thousand accounts with a key each touch few pages. 83 random bits follow.
 */
export function newKeyId(account_id: string, draw: DrawText = randomBase62): string {
  const [shared = ""] = /^[0-9A-Za-z]*/.exec(account_id.slice(account_id.indexOf("_") + 1, OF_ACCOUNT_END)) ?? [];
  return `key_${shared}${draw(ID_LENGTH - shared.length)}`;
}

const REQUEST_PREFIX = "req_";
/** A buffer for the next request's id: the prefix never changes, the time only with the millisecond. */
const request_id = Buffer.from(REQUEST_PREFIX.padEnd(REQUEST_PREFIX.length + ID_LENGTH));
const TIME_END = REQUEST_PREFIX.length + TIME_LENGTH;
let written_ms = -1;

function newRequestId(): string {
  const now_ms = systemClock.now_ms();
  if (now_ms !== written_ms) writeTime(now_ms);
  writeRandom(request_id, TIME_END, request_id.length);
  return request_id.toString("latin1");
}

/** How the ids of requests begin that were made at a time: those of earlier requests sort before it, as texts, and all others behind. */
export function requestIdsFrom(time_ms: number): string {
  let time = "";
  for (let rest = Math.max(0, Math.floor(time_ms)); time.length < TIME_LENGTH; rest = Math.floor(rest / 62)) {
    time = `${BASE62_ALPHABET[rest % 62]}${time}`;
  }
  return `${REQUEST_PREFIX}${time}`;
}

/** Writes the time in base 62, most significant digit first, so that it sorts as text. */
function writeTime(now_ms: number): void {
  written_ms = now_ms;
  let rest = now_ms;
  for (let at = TIME_END - 1; at >= REQUEST_PREFIX.length; at--) {
    request_id[at] = ALPHABET_BYTES[rest % 62] as number;
    rest = Math.floor(rest / 62);
  }
}
