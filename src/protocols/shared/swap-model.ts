import { CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import { endOfStringBytes } from "./json-bytes.ts";

/**
 * Replaces the model's name in a vendor's answer, over bytes. An answer names its model in one place: on
 * the top level in chat chunks and bodies, inside `message` or `response` in the first events of the other styles.
 *
 * The key is found by searching for its bytes. That cannot hit text inside a JSON string, for there each quote has a
 * backslash before it; what it can hit is a member of another object or a string value, which the walk below excludes.
 */

const KEY = Buffer.from('"model"');

/** Which objects hold the name: the top level, or the object under this key of the top level. */
export type ModelPlace = "top" | "message" | "response";

/**
 * Swaps the name in the frames or the body of one answer. Keep one instance per answer: it remembers the bytes that
 * chunks repeat.
 */
export class ModelSwap {
  readonly #name: Buffer;
  readonly #parent: Buffer | null;
  /**
   * The previous frame's bytes up to the end of the name, and their replacement: chunks of a stream repeat these bytes.
   */
  #prefix: Buffer | null = null;
  #swapped: Buffer | null = null;

  /** `model_id` is the catalogue id that the client sees (docs/rulings.md 7). */
  constructor(model_id: string, place: ModelPlace = "top") {
    this.#name = Buffer.from(JSON.stringify(model_id));
    this.#parent = place === "top" ? null : Buffer.from(`"${place}"`);
  }

  /** The bytes with the model's name replaced; the given buffer itself when there is no name to replace. */
  swap(bytes: Buffer): Buffer {
    const prefix = this.#prefix;
    if (prefix !== null && startsWith(bytes, prefix)) return joined(this.#swapped as Buffer, bytes, prefix.length);
    const value = findModelValue(bytes, this.#parent);
    if (value === null) return bytes;
    // A copy, so that the remembered bytes do not keep a whole chunk alive.
    this.#prefix = Buffer.from(bytes.subarray(0, value.end));
    this.#swapped = Buffer.concat([bytes.subarray(0, value.start), this.#name]);
    return joined(this.#swapped, bytes, value.end);
  }
}

function joined(head: Buffer, bytes: Buffer, from: number): Buffer {
  const out = Buffer.allocUnsafe(head.length + bytes.length - from);
  out.set(head, 0);
  bytes.copy(out, head.length, from);
  return out;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && prefix.compare(bytes, 0, prefix.length) === 0;
}

/** The place of the value of the envelope's `model`, quotes included; null unless the value is a string or null. */
function findModelValue(bytes: Buffer, parent: Buffer | null): { start: number; end: number } | null {
  const json = bytes.indexOf(OPEN_BRACE);
  if (json === -1) return null;
  const place: SearchPlace = { at: json, depth: 0, name: json };
  for (let at = bytes.indexOf(KEY, json); at !== -1; at = bytes.indexOf(KEY, at + KEY.length)) {
    const colon = skipWhitespace(bytes, at + KEY.length);
    if (bytes[colon] !== COLON) continue;
    walk(bytes, place, at);
    const is_envelope = parent === null ? place.depth === 1 : place.depth === 2 && isNamed(bytes, place.name, parent);
    if (!is_envelope) continue;
    const start = skipWhitespace(bytes, colon + 1);
    if (bytes[start] === QUOTE) return { start, end: endOfStringBytes(bytes, start) };
    return bytes.toString("latin1", start, start + 4) === "null" ? { start, end: start + 4 } : null;
  }
  return null;
}

/** A place in JSON text: its depth, and where the last string on the top level started. */
interface SearchPlace {
  at: number;
  depth: number;
  name: number;
}

/** Walks on to a place outside of any string. */
function walk(bytes: Buffer, place: SearchPlace, to: number): void {
  let at = place.at;
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      if (place.depth === 1) place.name = at;
      at = endOfStringBytes(bytes, at) - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) place.depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) place.depth--;
  }
  place.at = at;
}

/** Whether the string at `at` is the parent's quoted name: on depth 2, the key that the object belongs to. */
function isNamed(bytes: Buffer, at: number, parent: Buffer): boolean {
  return startsWith(bytes.subarray(at), parent);
}

function skipWhitespace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 10 || bytes[at] === 13 || bytes[at] === 9) at++;
  return at;
}
