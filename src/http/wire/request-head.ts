import {
  isNamed,
  joined,
  lineEnd,
  nameEnd,
  readFields,
  readLength,
  sameLength,
  valueIn,
} from "../../wire/head-lines.ts";
import { MalformedMessage, quoted } from "../../wire/malformed-message.ts";

const METHOD = /^[!#$%&'*+\-.^_`|~\dA-Za-z]{1,40}$/;
/** Visible ASCII: whatever else a path is to have is percent-encoded. */
const TARGET = /^[!-~]+$/;
const ABSOLUTE = /^https?:\/\/[^/?#]+/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const MAX_HEADERS = 200;

/** Thrown for a head with more headers than are read. */
export class TooManyHeaders extends Error {}

/**
 * The head of a request (RFC 9112, 3 to 6), read once and strictly: whatever could be read in two ways is refused, since
 * somebody between the client and us may have read it in the other one. Most headers are only checked, and looked up when
 * somebody asks.
 */
export class RequestHead {
  readonly method: string;
  readonly path: string;
  /** Without its question mark; empty when there is none. */
  readonly query: string;
  /** How the body ends: after so many bytes, or with its last chunk. */
  readonly framing: number | "chunked";
  /** Whether the client wants to send another request over the connection. */
  readonly keeps_alive: boolean;
  /** HTTP/1.0: no chunks, and a connection that is kept is kept by agreement. */
  readonly is_1_0: boolean;
  /** Whether the client waits for a 100 before it sends the body. */
  readonly expects_continue: boolean;
  readonly #text: string;
  readonly #authorization: string | null;
  readonly #api_key: string | null;
  readonly #request_id: string | null;
  readonly #idempotency_key: string | null;
  #fields: Map<string, string> | null = null;

  /** Takes the head as latin1, without the empty line that ends it. Throws a MalformedMessage or TooManyHeaders. */
  constructor(text: string) {
    this.#text = text;
    if (CONTROLS.test(text)) throw new MalformedMessage("it has a control character in its head");
    let at = lineEnd(text, 0);
    const line = requestLine(text.slice(0, at));
    this.method = line.method;
    this.path = line.path;
    this.query = line.query;
    this.is_1_0 = line.is_1_0;

    let hosts = 0;
    let headers = 0;
    let connection: string | null = null;
    let content_length: number | null = null;
    let transfer_encoding: string | null = null;
    let expect: string | null = null;
    let authorization: string | null = null;
    let api_key: string | null = null;
    let request_id: string | null = null;
    let idempotency_key: string | null = null;
    while (at < text.length) {
      const start = at + 2;
      at = lineEnd(text, start);
      const colon = nameEnd(text, start, at);
      headers += 1;
      // What is looked up for nearly every request. Most headers are told from these by their length alone.
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
          break;
        case 13:
          if (isNamed(text, start, "authorization")) authorization = added(authorization, text, colon, at);
          break;
        case 14:
          if (isNamed(text, start, "content-length"))
            content_length = sameLength(content_length, readLength(text, colon + 1, at));
          break;
        case 15:
          if (isNamed(text, start, "idempotency-key")) idempotency_key = added(idempotency_key, text, colon, at);
          break;
        case 17:
          if (isNamed(text, start, "transfer-encoding"))
            transfer_encoding = joined(transfer_encoding, text.slice(colon + 1, at));
      }
    }
    if (headers > MAX_HEADERS) throw new TooManyHeaders();
    if (hosts > 1 || (hosts === 0 && !this.is_1_0)) throw new MalformedMessage(`it has ${hosts} Host headers, not one`);
    this.#authorization = authorization;
    this.#api_key = api_key;
    this.#request_id = request_id;
    this.#idempotency_key = idempotency_key;
    this.framing = framingOf(transfer_encoding, content_length, this.is_1_0);
    this.keeps_alive = keepsAlive(connection, this.is_1_0);
    // Whoever speaks HTTP/1.0 does not know what a 100 is.
    this.expects_continue = expectsContinue(expect) && !this.is_1_0;
  }

  /** A header's value, the values of one that came more than once joined; null where there is none. */
  get(name: string): string | null {
    switch (name) {
      case "authorization":
        return this.#authorization;
      case "x-api-key":
        return this.#api_key;
      case "x-request-id":
        return this.#request_id;
      case "idempotency-key":
        return this.#idempotency_key;
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

/** Lines that were read before: nearly all requests begin with one of a few. */
const known_lines = new Map<string, RequestLine>();
const MOST_KNOWN_LINES = 100;

function requestLine(text: string): RequestLine {
  const known = known_lines.get(text);
  if (known !== undefined) return known;
  const line = readRequestLine(text);
  if (known_lines.size >= MOST_KNOWN_LINES) known_lines.clear();
  known_lines.set(text, line);
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

/** A header's value beside those that it had already. */
function added(before: string | null, text: string, colon: number, end: number): string {
  const value = valueIn(text, colon + 1, end);
  return before === null ? value : `${before}, ${value}`;
}

function framingOf(
  transfer_encoding: string | null,
  content_length: number | null,
  is_1_0: boolean,
): number | "chunked" {
  if (transfer_encoding === null) return content_length ?? 0;
  if (transfer_encoding !== "chunked")
    throw new MalformedMessage(`its transfer-encoding is ${quoted(transfer_encoding)}, and only chunked is read`);
  if (content_length !== null) throw new MalformedMessage("it has both a content-length and a transfer-encoding");
  if (is_1_0) throw new MalformedMessage("it has a transfer-encoding, which HTTP/1.0 does not know");
  return "chunked";
}

function keepsAlive(connection: string | null, is_1_0: boolean): boolean {
  if (connection === null) return !is_1_0;
  if (connection === "keep-alive") return true;
  const options = connection.split(",").map((option) => option.trim());
  return !options.includes("close") && (!is_1_0 || options.includes("keep-alive"));
}

function expectsContinue(expect: string | null): boolean {
  if (expect === null) return false;
  if (expect === "100-continue") return true;
  throw new MalformedMessage(`it expects ${quoted(expect)}, and only 100-continue is known`);
}
