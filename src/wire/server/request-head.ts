import { detachedText } from "../../core/texts.ts";
import {
  isNamed,
  joined,
  lineEnd,
  nameEnd,
  readFields,
  readLength,
  sameLength,
  valueIn,
} from "../grammar/head-lines.ts";
import { MalformedMessage, quoted } from "../grammar/malformed-message.ts";

const METHOD = /^[!#$%&'*+\-.^_`|~\dA-Za-z]{1,40}$/;
/** Visible ASCII: all other characters of a path are percent-encoded. */
const TARGET = /^[!-~]+$/;
const ABSOLUTE = /^https?:\/\/[^/?#]+/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const FORM = /^multipart\/form-data(?:[\t ;]|$)/i;
const MAX_HEADERS = 200;

/** Thrown for a head with too many headers. */
export class TooManyHeaders extends Error {}

/**
 * The head of a request (RFC 9112, 3 to 6), parsed strictly: an ambiguous head is refused, since a proxy between the
 * client and the gateway may have read it in the other way. Most headers are only checked, and looked up on demand.
 */
export class RequestHead {
  readonly #text: string;
  readonly #line: RequestLine;
  /** How the body is delimited: by its number of bytes, or by its last chunk. */
  readonly framing: number | "chunked";
  /** Whether the client wants to send another request over the connection. */
  readonly keeps_alive: boolean;
  /** Whether the client waits for a 100 before it sends the body. */
  readonly expects_continue: boolean;
  /** The body's content-encoding in small letters; null without the header. */
  readonly content_encoding: string | null;
  /** Whether the body is a form (`multipart/form-data`), whose parts may be binary. */
  readonly has_form: boolean;
  readonly #has_length: boolean;
  readonly #authorization: string | null;
  readonly #api_key: string | null;
  readonly #request_id: string | null;
  #idempotency_key: string | null = null;
  #tags: string | null = null;
  #cache: string | null = null;
  #version: string | null = null;
  #beta: string | null = null;
  #fields: Map<string, string> | null = null;

  /** Parses the head as latin1, without the empty line that ends it. Throws a MalformedMessage or TooManyHeaders. */
  constructor(text: string) {
    this.#text = text;
    if (CONTROLS.test(text)) throw new MalformedMessage("it has a control character in its head");
    let at = lineEnd(text, 0);
    this.#line = requestLine(text.slice(0, at));
    const { is_1_0 } = this.#line;

    let hosts = 0;
    let headers = 0;
    let connection: string | null = null;
    let content_length: number | null = null;
    let transfer_encoding: string | null = null;
    let expect: string | null = null;
    let authorization: string | null = null;
    let api_key: string | null = null;
    let request_id: string | null = null;
    let content_encoding: string | null = null;
    let has_form = false;
    while (at < text.length) {
      const start = at + 2;
      at = lineEnd(text, start);
      const colon = nameEnd(text, start, at);
      headers += 1;
      // The headers that nearly every request needs. The length alone distinguishes most other headers from them.
      switch (colon - start) {
        case 4:
          if (isNamed(text, start, "host")) hosts += 1;
          break;
        case 6:
          if (isNamed(text, start, "expect")) expect = joined(expect, text.slice(colon + 1, at));
          break;
        case 9:
          if (isNamed(text, start, "x-api-key")) api_key = added(api_key, text, colon, at);
          break;
        case 10:
          if (isNamed(text, start, "connection")) connection = joined(connection, text.slice(colon + 1, at));
          break;
        case 12:
          if (isNamed(text, start, "x-request-id")) request_id = added(request_id, text, colon, at);
          else if (isNamed(text, start, "content-type")) has_form ||= FORM.test(valueIn(text, colon + 1, at));
          break;
        case 13:
          if (isNamed(text, start, "authorization")) authorization = added(authorization, text, colon, at);
          else if (isNamed(text, start, "x-camino-tags")) this.#tags = added(this.#tags, text, colon, at);
          break;
        case 14:
          if (isNamed(text, start, "content-length")) {
            content_length = sameLength(content_length, readLength(text, colon + 1, at));
          } else if (isNamed(text, start, "x-camino-cache")) this.#cache = added(this.#cache, text, colon, at);
          else if (isNamed(text, start, "anthropic-beta")) this.#beta = added(this.#beta, text, colon, at);
          break;
        case 15:
          if (isNamed(text, start, "idempotency-key"))
            this.#idempotency_key = added(this.#idempotency_key, text, colon, at);
          break;
        case 16:
          if (isNamed(text, start, "content-encoding")) {
            content_encoding = joined(content_encoding, text.slice(colon + 1, at));
          }
          break;
        case 17:
          if (isNamed(text, start, "transfer-encoding"))
            transfer_encoding = joined(transfer_encoding, text.slice(colon + 1, at));
          else if (isNamed(text, start, "anthropic-version")) this.#version = added(this.#version, text, colon, at);
      }
    }
    requireCounts(headers, hosts, is_1_0);
    this.#authorization = authorization;
    this.#api_key = api_key;
    this.#request_id = request_id;
    this.framing = isChunked(transfer_encoding, content_length, is_1_0) ? "chunked" : (content_length ?? 0);
    this.#has_length = content_length !== null;
    this.keeps_alive = keepsAlive(connection, is_1_0);
    this.content_encoding = content_encoding;
    this.has_form = has_form;
    // An HTTP/1.0 client does not know status 100.
    this.expects_continue = expectsContinue(expect) && !is_1_0;
  }

  get method(): string {
    return this.#line.method;
  }

  get path(): string {
    return this.#line.path;
  }

  /** The query without its question mark; empty when there is none. */
  get query(): string {
    return this.#line.query;
  }

  /** HTTP/1.0: there are no chunks, and connections close unless both sides agree to keep them. */
  get is_1_0(): boolean {
    return this.#line.is_1_0;
  }

  /** Whether the client asks to speak WebSocket on this connection. Requests for other protocols are ignored. */
  get wants_websocket(): boolean {
    return !this.is_1_0 && has(this.get("upgrade"), "websocket") && has(this.get("connection"), "upgrade");
  }

  /** Whether the body is text without decompression, as nearly every body is. */
  get has_text(): boolean {
    return this.content_encoding === null && !this.has_form;
  }

  /** A header's value, the values of a repeated header joined; null where there is none. */
  get(name: string): string | null {
    switch (name) {
      case "content-length":
        return this.#has_length ? String(this.framing) : null;
      case "authorization":
        return this.#authorization;
      case "x-api-key":
        return this.#api_key;
      case "x-request-id":
        return this.#request_id;
      case "idempotency-key":
        return this.#idempotency_key;
      case "x-camino-tags":
        return this.#tags;
      case "x-camino-cache":
        return this.#cache;
      case "anthropic-version":
        return this.#version;
      case "anthropic-beta":
        return this.#beta;
      case "content-encoding":
        return this.content_encoding;
    }
    this.#fields ??= readFields(this.#text);
    return this.#fields.get(name.toLowerCase()) ?? null;
  }
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly is_1_0: boolean;
}

/** Parsed request lines: nearly all requests begin with one of a few. */
const known_lines = new Map<string, RequestLine>();
const MOST_KNOWN_LINES = 100;
/** Longer lines have ids or queries in them, and come once. */
const MOST_KNOWN_LENGTH = 200;

function requestLine(text: string): RequestLine {
  const known = known_lines.get(text);
  if (known !== undefined) return known;
  if (text.length > MOST_KNOWN_LENGTH) return readRequestLine(text);
  // A part of the head's text would keep the whole head in memory.
  const own = detachedText(text);
  const line = readRequestLine(own);
  if (known_lines.size >= MOST_KNOWN_LINES) known_lines.clear();
  known_lines.set(own, line);
  return line;
}

function readRequestLine(text: string): RequestLine {
  const method_end = text.indexOf(" ");
  const target_end = text.indexOf(" ", method_end + 1);
  const method = text.slice(0, method_end);
  const target = text.slice(method_end + 1, target_end);
  const version = text.slice(target_end + 1);
  if (!METHOD.test(method) || !TARGET.test(target) || !/^HTTP\/\d\.\d$/.test(version))
    throw new MalformedMessage(`it begins with ${quoted(text)}`);
  if (version !== "HTTP/1.1" && version !== "HTTP/1.0")
    throw new MalformedMessage(`it speaks ${version}, and HTTP/1.1 is spoken here`);
  const path = pathOf(method, target);
  const mark = path.indexOf("?");
  const is_1_0 = version === "HTTP/1.0";
  if (mark === -1) return { method, path, query: "", is_1_0 };
  return { method, path: path.slice(0, mark), query: path.slice(mark + 1), is_1_0 };
}

function pathOf(method: string, target: string): string {
  if (target.startsWith("/") || (target === "*" && method === "OPTIONS")) return target;
  const origin = ABSOLUTE.exec(target)?.[0];
  if (origin === undefined) throw new MalformedMessage(`it asks for ${quoted(target)}, which is no path`);
  const path = target.slice(origin.length);
  return path.startsWith("/") ? path : `/${path}`;
}

function requireCounts(headers: number, hosts: number, is_1_0: boolean): void {
  if (headers > MAX_HEADERS) throw new TooManyHeaders();
  if (hosts > 1 || (hosts === 0 && !is_1_0)) throw new MalformedMessage(`it has ${hosts} Host headers, not one`);
}

/** A header's value, joined to the values before. */
function added(before: string | null, text: string, colon: number, end: number): string {
  const value = valueIn(text, colon + 1, end);
  return before === null ? value : `${before}, ${value}`;
}

function isChunked(transfer_encoding: string | null, content_length: number | null, is_1_0: boolean): boolean {
  if (transfer_encoding === null) return false;
  if (transfer_encoding !== "chunked")
    throw new MalformedMessage(`its transfer-encoding is ${quoted(transfer_encoding)}, and only chunked is read`);
  if (content_length !== null) throw new MalformedMessage("it has both a content-length and a transfer-encoding");
  if (is_1_0) throw new MalformedMessage("it has a transfer-encoding, which HTTP/1.0 does not know");
  return true;
}

function keepsAlive(connection: string | null, is_1_0: boolean): boolean {
  if (connection === null) return !is_1_0;
  if (connection === "keep-alive") return true;
  const options = connection.split(",").map((option) => option.trim());
  return !options.includes("close") && (!is_1_0 || options.includes("keep-alive"));
}

/** Whether a comma-separated list has this word, in any case. */
function has(list: string | null, word: string): boolean {
  return list?.split(",").some((listed) => listed.trim().toLowerCase() === word) ?? false;
}

function expectsContinue(expect: string | null): boolean {
  if (expect === null) return false;
  if (expect === "100-continue") return true;
  throw new MalformedMessage(`it expects ${quoted(expect)}, and only 100-continue is known`);
}
