import { COLON, SPACE, TAB, ZERO } from "../../core/ascii.ts";
import { MalformedMessage, quoted } from "./malformed-message.ts";

/** The lines of a request's or an answer's head (RFC 9112, 5), parsed strictly, by their positions in the text. */

const MAX_LENGTH_DIGITS = 15;
/** The bit that turns a capital letter into a small one, and is set in a hyphen too. */
const SMALL = 32;
const CR = "\r";
const LF = "\n";
/** By character code: 1 where a header's name may have the character. */
const NAME_CHARACTERS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[!#$%&'*+\-.^_`|~\dA-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The last line's end, and the empty line that ends a head. */
export const HEAD_END = Buffer.from("\r\n\r\n");

/** Throws where a line of a partial head has another ending: the head's end would never be found. */
export function requireLineEnds(begun: Buffer): void {
  const lf = begun.indexOf(LF);
  if (lf !== -1 && begun[lf - 1] !== CR.charCodeAt(0))
    throw new MalformedMessage("it has a line in its head that does not end with CR LF");
}

/** The end of the line that begins at `start`. Throws on a CR or LF that is not part of a line break. */
export function lineEnd(text: string, start: number): number {
  const cr = text.indexOf(CR, start);
  const lf = text.indexOf(LF, start);
  if (cr === -1 && lf === -1) return text.length;
  if (lf !== cr + 1) throw new MalformedMessage("it has a line in its head that does not end with CR LF");
  return cr;
}

/** The end of the name of the header that begins at `start`. Also refuses continuation lines. */
export function nameEnd(text: string, start: number, end: number): number {
  let at = start;
  while (NAME_CHARACTERS[text.charCodeAt(at)] === 1) at++;
  if (at > start && at < end && text.charCodeAt(at) === COLON) return at;
  throw new MalformedMessage(`it has a line in its head that is no header: ${quoted(text.slice(start, end))}`);
}

/**
 * Whether the header name at `start` is `name`, which is in small letters and hyphens. The caller has checked the
 * length.
 */
export function isNamed(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if ((text.charCodeAt(start + index) | SMALL) !== name.charCodeAt(index)) return false;
  }
  return true;
}

export function isNameCharacter(byte: number): boolean {
  return NAME_CHARACTERS[byte] === 1;
}

/**
 * The text between `start` and `end` without the blanks around it. Blanks are spaces and tabs only: `trim` would remove
 * more, and other parsers read `chunked` with a no-break space as another coding than `chunked`.
 */
export function valueIn(text: string, start: number, end: number): string {
  const from = blanksEnd(text, start, end);
  return text.slice(from, blanksStart(text, from, end));
}

function blanksEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function blanksStart(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** A number of digits with blanks around it; null for anything else. It is read without a string made of it. */
function lengthIn(text: string, start: number, end: number): number | null {
  const from = blanksEnd(text, start, end);
  const to = blanksStart(text, from, end);
  if (from === to || to - from > MAX_LENGTH_DIGITS) return null;
  let length = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return null;
    length = length * 10 + digit;
  }
  return length;
}

/** The value of a content-length. Throws a MalformedMessage where it is not a number of digits. */
export function readLength(text: string, start: number, end: number): number {
  const length = lengthIn(text, start, end);
  if (length === null) throw new MalformedMessage(`its content-length is ${quoted(valueIn(text, start, end))}`);
  return length;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Checks that a repeated content-length has the value of the one before, if there was one. */
export function sameLength(before: number | null, length: number): number {
  if (before === null || before === length) return length;
  throw new MalformedMessage(`it has two content-lengths, ${before} and ${length}`);
}

/** The values of a repeated header, joined, in small letters. */
export function joined(before: string | null, value: string): string {
  const more = valueIn(value, 0, value.length).toLowerCase();
  return before === null ? more : `${before}, ${more}`;
}

/** All headers of a head by their names in small letters; the values of a repeated header are joined. */
export function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = valueIn(line, colon + 1, line.length);
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}
