import { CR, LF } from "../../core/ascii.ts";
import { GatewayError } from "../../core/errors.ts";
import { ChunkedBody } from "../grammar/chunked-body.ts";
import { detachedBytes, detachedPart } from "../grammar/detached-bytes.ts";
import { HEAD_END, requireLineEnds } from "../grammar/head-lines.ts";
import { RequestHead, TooManyHeaders } from "./request-head.ts";

const MAX_HEAD_BYTES = 16 * 1024;
/** Some clients add a line break after a body: up to this many bytes of blank lines are skipped before a request. */
const MAX_BLANK_BYTES = 8;

/** Receives a request's parts as they are parsed. */
export interface RequestSink {
  /** `text` is the body where all of it arrived together with the head and is text: no pieces follow then. */
  head(head: RequestHead, text: string | null): void;
  /** A part of the body, as it arrived. */
  piece(data: Buffer): void;
  end(): void;
}

/** Parses the requests of one connection, one after the other, from slices cut anywhere. */
export class RequestParser {
  readonly #sink: RequestSink;
  readonly #chunked = new ChunkedBody({ is_strict: true });
  /** Null while a head is expected. */
  #head: RequestHead | null = null;
  /** The beginning of a head that has not arrived completely. */
  #begun: Buffer | null = null;
  /** How many bytes of blank lines were passed over before it. */
  #blank = 0;
  /** How many bytes of a body with a length are still to come. */
  #left = 0;

  constructor(sink: RequestSink) {
    this.#sink = sink;
  }

  /** Whether a part of a head has arrived. */
  get hasBegun(): boolean {
    return this.#begun !== null;
  }

  /** How many bytes of the body are still to come; infinite for a chunked body. */
  get bytes_left(): number {
    return this.#head?.framing === "chunked" ? Number.POSITIVE_INFINITY : this.#left;
  }

  /** The first line of a head that is incomplete or could not be parsed, as far as it arrived. */
  get first_line(): string {
    const begun = this.#begun?.toString("latin1", 0, 200) ?? "";
    const end = begun.indexOf("\r");
    return end === -1 ? begun : begun.slice(0, end);
  }

  /**
   * Parses the next bytes and takes ownership of them, up to the end of the current request. Returns the bytes after
   * it; null where there are none. Throws a MalformedMessage, or a GatewayError for a head that is too large; no call
   * may follow that.
   */
  feed(bytes: Buffer): Buffer | null {
    let rest = bytes;
    let at = 0;
    if (this.#head === null) {
      const searched = this.#begun?.length ?? 0;
      if (this.#begun !== null) rest = Buffer.concat([this.#begun, bytes]);
      at = this.#readHead(rest, Math.max(0, searched - HEAD_END.length));
      if (at === -1) return null;
    }
    const end = this.#readBody(rest, at);
    if (end === -1) return null;
    this.#head = null;
    this.#sink.end();
    return end === rest.length ? null : rest.subarray(end);
  }

  /** Parses the head at the beginning of these bytes. Returns where to read on, or -1 when more bytes are needed. */
  #readHead(bytes: Buffer, searched: number): number {
    const start = blankEnd(bytes, MAX_BLANK_BYTES - this.#blank);
    const end = bytes.indexOf(HEAD_END, Math.max(start, searched));
    this.#begun = start === bytes.length ? null : start === 0 ? bytes : bytes.subarray(start);
    if (end === -1 || end - start > MAX_HEAD_BYTES) {
      this.#blank += start;
      if (this.#begun === null) return -1;
      checkBegun(this.#begun);
      this.#begun = detachedBytes(this.#begun);
      return -1;
    }
    const text = bytes.toString("latin1", start, end);
    const head = readHead(text);
    this.#begun = null;
    this.#blank = 0;
    return this.#begin(head, bytes, end + HEAD_END.length);
  }

  /** Returns where to read on: after the body, where all of it is there. */
  #begin(head: RequestHead, bytes: Buffer, start: number): number {
    const { framing } = head;
    this.#head = head;
    this.#left = 0;
    if (framing === "chunked") {
      this.#chunked.reset();
      this.#sink.head(head, null);
      return start;
    }
    const end = start + framing;
    if (framing === 0 || (end <= bytes.length && head.has_text)) {
      this.#sink.head(head, decodeText(bytes, start, end));
      return end;
    }
    this.#left = framing;
    this.#sink.head(head, null);
    return start;
  }

  /** Reads the next part of the body. Returns where the body ended, or -1 when more bytes are needed. */
  #readBody(bytes: Buffer, start: number): number {
    if (this.#head?.framing === "chunked") {
      const at = this.#chunked.feed(bytes, start, this.#sink);
      return this.#chunked.isDone ? at : -1;
    }
    if (this.#left === 0) return start;
    const end = Math.min(bytes.length, start + this.#left);
    this.#left -= end - start;
    if (end > start) this.#sink.piece(detachedPart(bytes, start, end));
    return this.#left === 0 ? end : -1;
  }
}

const BYTE_ORDER_MARK = "\ufeff";

/** A body as text: UTF-8 without a byte order mark; invalid bytes become the replacement character. */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Where the blank lines end at the beginning of these bytes, of which at most so many are passed over. */
function blankEnd(bytes: Buffer, most: number): number {
  let at = 0;
  while (at < most && bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at;
}

function readHead(text: string): RequestHead {
  try {
    return new RequestHead(text);
  } catch (thrown) {
    throw thrown instanceof TooManyHeaders ? tooLarge("more than 200 headers") : thrown;
  }
}

/** Rejects a partial head that is too long, or whose end would never be found. */
function checkBegun(begun: Buffer): void {
  // The empty line at the head's end does not count, and may have arrived in part.
  if (begun.length >= MAX_HEAD_BYTES + HEAD_END.length) throw tooLarge(`more than ${MAX_HEAD_BYTES} bytes`);
  requireLineEnds(begun);
}

function tooLarge(found: string): GatewayError {
  return new GatewayError(
    "headers_too_large",
    `The request's head has ${found}; at most ${MAX_HEAD_BYTES} bytes and 200 headers are allowed.`,
  );
}
