import { ZERO } from "../../core/ascii.ts";
import { isNamed, joined, lineEnd, nameEnd, readFields, readLength, sameLength } from "../grammar/head-lines.ts";
import { MalformedMessage, quoted } from "../grammar/malformed-message.ts";
import type { AnswerHeaders } from "./reply.ts";

/** The statuses whose answers have no body, whatever their headers say. */
const BODILESS = new Set([204, 304]);
const STATUS = /^HTTP\/1\.[01] [1-5]\d\d(?:[ \r]|$)/;
/** The beginning of nearly all answers. */
const USUAL = "HTTP/1.1 200 ";

/**
 * The head of an answer (RFC 9112, 4 to 6), parsed once and strictly: its status, how its body is delimited, and
 * whether the connection stays open. Other headers are only checked, and looked up on demand.
 */
export class AnswerHead implements AnswerHeaders {
  readonly status: number;
  /** How the body is delimited: by its number of bytes, its last chunk, or the end of the connection. */
  readonly framing: number | "chunked" | "close";
  /** Whether the connection may carry another request after this answer. */
  readonly keeps_alive: boolean;
  /** In small letters; null where there is no such header. */
  readonly content_encoding: string | null;
  readonly #text: string;
  #fields: Map<string, string> | null = null;

  /** Parses the head as latin1, without the empty line that ends it. Throws a MalformedMessage. */
  constructor(text: string) {
    this.#text = text;
    if (text.includes("\0")) throw new MalformedMessage("it has a NUL in its head");
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
      // The length alone distinguishes most headers from these.
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
    // An intermediary may have read a message with both length and chunks differently: what follows is not trusted.
    // A body behind an answer that has none may come later, and would be read as the answer to the next request.
    const is_sure = !BODILESS.has(this.status) && !(is_chunked && content_length !== null);
    this.keeps_alive = is_sure && keepsAlive(connection, text);
    this.content_encoding = content_encoding;
  }

  get(name: string): string | null {
    this.#fields ??= readFields(this.#text);
    return this.#fields.get(name.toLowerCase()) ?? null;
  }
}

/** The status of a line such as `HTTP/1.1 200 OK`, whose reason may be missing. */
function readStatus(text: string, end: number): number {
  if (text.startsWith(USUAL)) return 200;
  const status = STATUS.test(text) ? Number(text.slice(9, 12)) : 0;
  if (status < 100 || end < 12) throw new MalformedMessage(`it begins with ${quoted(text.slice(0, end))}`);
  return status;
}

function isChunked(transfer_encoding: string | null): boolean {
  if (transfer_encoding === null || transfer_encoding === "identity") return false;
  if (transfer_encoding === "chunked") return true;
  throw new MalformedMessage(`its transfer-encoding is ${quoted(transfer_encoding)}`);
}

function keepsAlive(connection: string | null, text: string): boolean {
  const is_1_0 = text.charCodeAt("HTTP/1.".length) === ZERO;
  if (connection === null) return !is_1_0;
  const options = connection.split(",").map((option) => option.trim());
  return !options.includes("close") && (!is_1_0 || options.includes("keep-alive"));
}
