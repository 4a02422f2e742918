import { isUtf8 } from "node:buffer";

/** Where the inputs of a request stand in its bytes, which nobody decoded, and what stands around them. */
export interface FoundInputs {
  /** The body's text with `0` in the place of the inputs. */
  readonly rest: string;
  /** The first byte of the inputs' JSON, and the one behind it. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** The bytes of all inputs as texts. */
  readonly text_bytes: number;
}

/** The most bytes around the inputs, which are read as any request is. */
const MOST_REST_BYTES = 4096;
/** The most escapes in the inputs, each of which is looked at: with more, reading the text takes less. */
const MOST_ESCAPES = 2000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const SPACE = 32;
const KEY = '"input"';
/** What may follow a backslash in JSON, but for a character's number. */
const ESCAPED: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (each) => each.charCodeAt(0)));

/**
 * Finds the inputs of a request for embeddings: a text, or a list of texts, in JSON on one line. All of its bytes are proved to be what
 * `JSON.parse` takes; `rest` is not (docs/rulings.md 211). Null for every other body, which is read as text, good or bad.
 */
export function findInputs(bytes: Buffer): FoundInputs | null {
  if (bytes[0] !== OPEN_BRACE || !isUtf8(bytes) || hasControls(bytes)) return null;
  const walk = new Walk(bytes);
  const start = walk.findInput();
  if (start === -1) return null;
  const end = walk.readInputs(start);
  if (end === -1 || bytes.length - (end - start) > MOST_REST_BYTES) return null;
  const rest = `${bytes.toString("utf8", 0, start)}0${bytes.toString("utf8", end)}`;
  return { rest, start, end, count: walk.count, text_bytes: walk.text_bytes };
}

const SPACES = 0x20202020;
const HIGH_BITS = 0x80808080 | 0;

/** Whether a byte is one of the controls, which no text of JSON has as they are: four bytes at a time. */
function hasControls(bytes: Buffer): boolean {
  const ahead = Math.min(bytes.length, (4 - (bytes.byteOffset % 4)) % 4);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + ahead, (bytes.length - ahead) >> 2);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    // A byte below 32 borrows from its highest bit, which it has not got.
    if (((word - SPACES) & ~word & HIGH_BITS) !== 0) return true;
  }
  for (let at = 0; at < ahead; at++) if ((bytes[at] as number) < SPACE) return true;
  for (let at = ahead + words.length * 4; at < bytes.length; at++) if ((bytes[at] as number) < SPACE) return true;
  return false;
}

class Walk {
  count = 0;
  text_bytes = 0;
  readonly #bytes: Buffer;
  /** The backslash at or behind the place that was looked at last. */
  #backslash = -1;
  #escapes = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Where the value of `input` begins; -1 where a list or an object stands before it, or there is none. */
  findInput(): number {
    const bytes = this.#bytes;
    for (let at = 1; ; ) {
      const key = this.#skipSpaces(at);
      const key_end = this.#endOfText(key);
      if (key_end === -1) return -1;
      const colon = this.#skipSpaces(key_end);
      if (bytes[colon] !== COLON) return -1;
      const value = this.#skipSpaces(colon + 1);
      if (key_end - key === KEY.length && bytes.toString("latin1", key, key_end) === KEY) return value;
      const first = bytes[value];
      if (first === OPEN_BRACKET || first === OPEN_BRACE) return -1;
      const end = first === QUOTE ? this.#endOfText(value) : value;
      const comma = end === -1 ? -1 : bytes.indexOf(COMMA, end);
      if (comma === -1 || comma > MOST_REST_BYTES) return -1;
      at = comma + 1;
    }
  }

  /** The place behind the inputs that begin here; -1 where they are neither a text nor a list of texts, or one is empty. */
  readInputs(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] === QUOTE) return this.#readInput(start);
    if (bytes[start] !== OPEN_BRACKET) return -1;
    for (let at = start; ; ) {
      const end = this.#readInput(this.#skipSpaces(at + 1));
      if (end === -1) return -1;
      at = this.#skipSpaces(end);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) return -1;
    }
  }

  #readInput(start: number): number {
    const escapes = this.#escapes;
    const end = this.#endOfText(start);
    if (end === -1 || end - start === 2) return -1;
    this.count += 1;
    // Each escape is two bytes, and stands for one.
    this.text_bytes += end - start - 2 - (this.#escapes - escapes);
    return end;
  }

  /** The place behind the text that begins here; -1 where none does, or it has characters by their numbers. */
  #endOfText(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== QUOTE) return -1;
    let from = start + 1;
    for (let quote = -1; ; ) {
      if (quote < from) quote = bytes.indexOf(QUOTE, from);
      if (quote === -1) return -1;
      if (this.#backslash < from) {
        const next = bytes.indexOf(BACKSLASH, from);
        this.#backslash = next === -1 ? bytes.length : next;
      }
      if (this.#backslash > quote) return quote + 1;
      this.#escapes += 1;
      if (this.#escapes > MOST_ESCAPES || !ESCAPED.has(bytes[this.#backslash + 1] as number)) return -1;
      from = this.#backslash + 2;
    }
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#bytes[at] === SPACE) at++;
    return at;
  }
}
