import type { AnswerHeaders } from "../reply.ts";
import { MalformedAnswer, quoted } from "./malformed-answer.ts";

/** The statuses whose answers have no body, whatever their headers say. */
const BODILESS = new Set([204, 304]);
const STATUS = /^HTTP\/1\.[01] [1-5]\d\d(?:[ \r]|$)/;
const MAX_LENGTH_DIGITS = 15;
const ZERO = 48;
const TAB = 9;
const SPACE = 32;
/** Set in small letters, and in what else the names have that are looked for. */
const SMALL = 32;
const COLON = 58;
const CR = "\r";
const LF = "\n";
/** Which characters a header's name may have, by code. */
const NAME_CHARACTERS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[!#$%&'*+\-.^_`|~\dA-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * The head of an answer (RFC 9112, 4 to 6), read once and strictly: its status, how its body is delimited, and whether
 * the connection goes on. Other headers are only checked, and looked up when somebody asks.
 */
export class AnswerHead implements AnswerHeaders {
  readonly status: number;
  /** How the body ends: after so many bytes, with its last chunk, or with the connection. */
  readonly framing: number | "chunked" | "close";
  /** Whether the connection may carry another request after this answer. */
  readonly keeps_alive: boolean;
  /** In small letters; null where there is none. */
  readonly content_encoding: string | null;
  readonly #text: string;
  #fields: Map<string, string> | null = null;

  /** Takes the head as latin1, without the empty line that ends it. Throws a MalformedAnswer. */
  constructor(text: string) {
    this.#text = text;
    if (text.includes("\0")) throw new MalformedAnswer("it has a NUL in its head");
    let at = lineEnd(text, 0);
    this.status = readStatus(text, at);
    let connection: string | null = null;
    let content_length: number | null = null;
    let content_encoding: string | null = null;
    let transfer_encoding: string | null = null;
    while (at < text.length) {
      const start = at + 2;
      at = lineEnd(text, start);
      const colon = nameEnd(text, start, at);
      // Most headers are told from these by their length alone.
      switch (colon - start) {
        case 10:
          if (isNamed(text, start, "connection")) connection = joined(connection, text.slice(colon + 1, at));
          break;
        case 14:
          if (isNamed(text, start, "content-length"))
            content_length = sameLength(content_length, readLength(text, colon + 1, at));
          break;
        case 16:
          if (isNamed(text, start, "content-encoding"))
            content_encoding = joined(content_encoding, text.slice(colon + 1, at));
          break;
        case 17:
          if (isNamed(text, start, "transfer-encoding"))
            transfer_encoding = joined(transfer_encoding, text.slice(colon + 1, at));
      }
    }
    const is_chunked = isChunked(transfer_encoding);
    if (BODILESS.has(this.status)) this.framing = 0;
    else if (is_chunked) this.framing = "chunked";
    else this.framing = content_length ?? "close";
    // Whoever says both may have been read differently by somebody in between: what follows is not trusted.
    this.keeps_alive = keepsAlive(connection, text) && !(is_chunked && content_length !== null);
    this.content_encoding = content_encoding;
  }

  get(name: string): string | null {
    this.#fields ??= readFields(this.#text);
    return this.#fields.get(name.toLowerCase()) ?? null;
  }
}

/** The status of a line as `HTTP/1.1 200 OK`, whose last part may be missing. */
function readStatus(text: string, end: number): number {
  const status = STATUS.test(text) ? Number(text.slice(9, 12)) : 0;
  if (status < 100 || end < 12) throw new MalformedAnswer(`it begins with ${quoted(text.slice(0, end))}`);
  return status;
}

/** Where the line ends that starts here. A CR or LF that is not part of a line break is not allowed in a head. */
function lineEnd(text: string, start: number): number {
  const cr = text.indexOf(CR, start);
  const lf = text.indexOf(LF, start);
  if (cr === -1 && lf === -1) return text.length;
  if (lf !== cr + 1) throw new MalformedAnswer("it has a line in its head that does not end with CR LF");
  return cr;
}

/** Where the name ends of the header that stands there. Also refuses lines that continue the one before. */
function nameEnd(text: string, start: number, end: number): number {
  let at = start;
  while (NAME_CHARACTERS[text.charCodeAt(at)] === 1) at++;
  if (at > start && at < end && text.charCodeAt(at) === COLON) return at;
  throw new MalformedAnswer(`it has a line in its head that is no header: ${quoted(text.slice(start, end))}`);
}

/** Whether the name that stands there is this one, of letters and hyphens. It is known to be a name. */
function isNamed(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if ((text.charCodeAt(start + index) | SMALL) !== name.charCodeAt(index)) return false;
  }
  return true;
}

function joined(before: string | null, value: string): string {
  const more = value.trim().toLowerCase();
  return before === null ? more : `${before}, ${more}`;
}

/** A number of digits only, with blanks around it. Most answers have one: no text is made of it. */
function readLength(text: string, start: number, end: number): number {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  let length = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) throw noLength(text.slice(from, to));
    length = length * 10 + digit;
  }
  if (from === to || to - from > MAX_LENGTH_DIGITS) throw noLength(text.slice(from, to));
  return length;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function noLength(value: string): MalformedAnswer {
  return new MalformedAnswer(`its content-length is ${quoted(value)}`);
}

function sameLength(before: number | null, length: number): number {
  if (before === null || before === length) return length;
  throw new MalformedAnswer(`it has two content-lengths, ${before} and ${length}`);
}

function isChunked(transfer_encoding: string | null): boolean {
  if (transfer_encoding === null || transfer_encoding === "identity") return false;
  if (transfer_encoding === "chunked") return true;
  throw new MalformedAnswer(`its transfer-encoding is ${quoted(transfer_encoding)}`);
}

function keepsAlive(connection: string | null, text: string): boolean {
  const is_1_0 = text.charCodeAt("HTTP/1.".length) === ZERO;
  if (connection === null) return !is_1_0;
  const options = connection.split(",").map((option) => option.trim());
  return !options.includes("close") && (!is_1_0 || options.includes("keep-alive"));
}

function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}
