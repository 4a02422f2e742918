import { timingSafeEqual } from "node:crypto";
import { PLACE_LENGTH, placeOfCell } from "../core/cell-place.ts";
import { BASE62_ALPHABET, type DrawText, randomBase62 } from "../core/ids.ts";
import type { SubKeys } from "./sub-keys.ts";

/**
 * API keys: `cm-` + 8 characters that name the key + 32 secret characters + 8 of signature + 6 of checksum, all base
 * 62; where there are cells, 4 that name the account's cell come before them. By the checksum anyone (also a scanner for leaked keys) can distinguish a mistyped key from a real one; by the
 * signature the gateway refuses a forged key without reading the database (docs/api.md 5).
 */

export const API_KEY_PREFIX = "cm-";
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const MAC_LENGTH = 8;
const CHECKSUM_LENGTH = 6;
/** Both are counted from the end: a key with a cell has more before them. */
const CHECKSUM_START = -CHECKSUM_LENGTH;
const MAC_START = CHECKSUM_START - MAC_LENGTH;
const HINT_LENGTH = 4;
const LENGTH = ID_LENGTH + SECRET_LENGTH + MAC_LENGTH + CHECKSUM_LENGTH;

const SHAPE = new RegExp(`^${API_KEY_PREFIX}(?:[0-9A-Za-z]{${PLACE_LENGTH}})?[0-9A-Za-z]{${LENGTH}}$`);
const MAC_VALUES = BASE62_ALPHABET.length ** MAC_LENGTH;
/** Names the sub-key and the function of a stored hash, so that both can change while old keys stay valid. */
const HASH_VERSION = "v1";

/** A new key, at the only time when the whole key is known. */
export interface NewApiKey {
  /** The key for the client, shown once. */
  readonly key: string;
  /** The hash that is stored instead of the key. */
  readonly hash: string;
  /** The key's last four characters, for people to recognise it by. */
  readonly hint: string;
}

/** `cell`: the name of the account's cell; null where there are none. */
export function createApiKey(keys: SubKeys, draw: DrawText = randomBase62, cell: string | null = null): NewApiKey {
  const body = API_KEY_PREFIX + (cell === null ? "" : placeOfCell(cell)) + draw(ID_LENGTH + SECRET_LENGTH);
  const signed = body + mac(keys, body);
  const key = signed + checksum(signed);
  return { key, hash: hashApiKey(keys, key), hint: key.slice(-HINT_LENGTH) };
}

/** What a signed key says of its account's cell; null where it says nothing, as keys from before there were cells. */
export function placeInKey(key: string): string | null {
  const at = key.length - LENGTH - PLACE_LENGTH;
  return at === API_KEY_PREFIX.length ? key.slice(at, at + PLACE_LENGTH) : null;
}

/** Whether a text has the shape of a key with a correct checksum: a mistyped or cut key has not. */
export function hasKeyShape(text: string): boolean {
  return SHAPE.test(text) && text.slice(CHECKSUM_START) === checksum(text.slice(0, CHECKSUM_START));
}

/** Whether this gateway signed the key. The signatures are compared in constant time. */
export function isSignedByGateway(keys: SubKeys, key: string): boolean {
  const expected = Buffer.from(mac(keys, key.slice(0, MAC_START)));
  const found = Buffer.from(key.slice(MAC_START, CHECKSUM_START));
  return found.length === expected.length && timingSafeEqual(found, expected);
}

/** Whether this gateway made the key, as far as that can be known without the database. */
export function checkApiKey(keys: SubKeys, text: string): boolean {
  return hasKeyShape(text) && isSignedByGateway(keys, text);
}

/** The keyed hash under which a key is stored: `v1:` and 64 hex digits of HMAC-SHA256. */
export function hashApiKey(keys: SubKeys, key: string): string {
  return `${HASH_VERSION}:${new Bun.CryptoHasher("sha256", keys.key_hash).update(key).digest("hex")}`;
}

/** 48 bits of HMAC-SHA256, folded into eight base-62 characters: a forger guesses right once in 10¹⁴ tries. */
function mac(keys: SubKeys, body: string): string {
  const digest = new Bun.CryptoHasher("sha256", keys.key_mac).update(body).digest();
  return base62(digest.readUIntBE(0, 6) % MAC_VALUES, MAC_LENGTH);
}

function checksum(signed: string): string {
  return base62(Bun.hash.crc32(signed), CHECKSUM_LENGTH);
}

function base62(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / BASE62_ALPHABET.length)) {
    text = BASE62_ALPHABET.charAt(rest % BASE62_ALPHABET.length) + text;
  }
  return text;
}
