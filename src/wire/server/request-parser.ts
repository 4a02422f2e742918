import { GatewayError } from "../../core/errors.ts";
import { ChunkedBody } from "../grammar/chunked-body.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { partOf } from "../grammar/part-of.ts";
import { RequestHead, TooManyHeaders } from "./request-head.ts";

const MAX_HEAD_BYTES = 16 * 1024;
/** Heads of the clients that are in use have some 200 to 1,000 characters. */
const MAX_KEPT_LENGTH = 2048;
/** Some clients end a body with a line break that does not belong to it: so much of that is passed over before a request. */
const MAX_BLANK_BYTES = 8;
const HEAD_END = Buffer.from("\r\n\r\n");
const CR = 13;
const LF = 10;

/** Takes a request's parts as they are found. */
export interface RequestSink {
  /** `text` where all of the body came together with the head: then there are no pieces. */
  head(head: RequestHead, text: string | null): void;
  /** A part of the body, as it came. */
  piece(data: Buffer): void;
  /** The request is whole. */
  end(): void;
}

/** Takes apart the requests of one connection, one after the other, in whatever slices their bytes arrive. */
export class RequestParser {
  readonly #sink: RequestSink;
  readonly #chunked = new ChunkedBody({ is_strict: true });
  /** Null while a head is awaited. */
  #head: RequestHead | null = null;
  /** The head before it, while that is not too long to be kept for a connection that waits. */
  #last: RequestHead | null = null;
  /** The beginning of a head that did not come whole. */
  #begun: Buffer | null = null;
  /** Of a body with a length: what is still to come. */
  #left = 0;

  constructor(sink: RequestSink) {
    this.#sink = sink;
  }

  /** Whether a part of a head has come. */
  get hasBegun(): boolean {
    return this.#begun !== null;
  }

  /** Bytes of the body that are still to come; infinite where it does not say. */
  get bytes_left(): number {
    return this.#head?.framing === "chunked" ? Number.POSITIVE_INFINITY : this.#left;
  }

  /** The line that a head begins with which did not come whole or could not be read, as far as it is there. */
  get first_line(): string {
    const begun = this.#begun?.toString("latin1", 0, 200) ?? "";
    const end = begun.indexOf("\r");
    return end === -1 ? begun : begun.slice(0, end);
  }

  /**
   * Takes the next bytes, for its own use, as far as the request goes that they belong to. Returns those behind it; null
   * where there are none. Throws a MalformedMessage, or a GatewayError for a head that is too large, and must not be fed any
   * more after that.
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

  /** Reads the head that begins these bytes. Returns where there is more to be read, or -1 when more has to come first. */
  #readHead(bytes: Buffer, searched: number): number {
    const start = blankEnd(bytes);
    const end = bytes.indexOf(HEAD_END, Math.max(start, searched));
    this.#begun = start === bytes.length ? null : bytes.subarray(start);
    if (end === -1 || end - start > MAX_HEAD_BYTES) {
      if (this.#begun !== null) checkBegun(this.#begun);
      return -1;
    }
    const text = bytes.toString("latin1", start, end);
    const head = this.#last?.again(text) ?? readHead(text);
    this.#last = text.length > MAX_KEPT_LENGTH ? null : head;
    this.#begun = null;
    return this.#begin(head, bytes, end + HEAD_END.length);
  }

  /** Returns where there is more to be read: behind the body, where all of that has come. */
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
    if (end <= bytes.length) {
      this.#sink.head(head, decodeText(bytes, start, end));
      return end;
    }
    this.#left = framing;
    this.#sink.head(head, null);
    return start;
  }

  /** Reads on in the body. Returns where it ended, or -1 when more has to come. */
  #readBody(bytes: Buffer, start: number): number {
    if (this.#head?.framing === "chunked") {
      const at = this.#chunked.feed(bytes, start, this.#sink);
      return this.#chunked.isDone ? at : -1;
    }
    if (this.#left === 0) return start;
    const end = Math.min(bytes.length, start + this.#left);
    this.#left -= end - start;
    if (end > start) this.#sink.piece(partOf(bytes, start, end));
    return this.#left === 0 ? end : -1;
  }
}

const BYTE_ORDER_MARK = "\ufeff";

/** A body as text: UTF-8, a byte order mark left out, what is no UTF-8 replaced. */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function blankEnd(bytes: Buffer): number {
  let at = 0;
  while (at < MAX_BLANK_BYTES && bytes[at] === CR && bytes[at + 1] === LF) at += 2;
  return at;
}

function readHead(text: string): RequestHead {
  try {
    return RequestHead.read(text);
  } catch (thrown) {
    throw thrown instanceof TooManyHeaders ? tooLarge("more than 200 headers") : thrown;
  }
}

/** A head may come in pieces, but not for ever; and lines that end otherwise would be waited on for ever. */
function checkBegun(begun: Buffer): void {
  // The empty line at its end does not count, and may have come in part.
  if (begun.length >= MAX_HEAD_BYTES + HEAD_END.length) throw tooLarge(`more than ${MAX_HEAD_BYTES} bytes`);
  const lf = begun.indexOf(LF);
  if (lf === 0 || (lf > 0 && begun[lf - 1] !== CR))
    throw new MalformedMessage("it has a line in its head that does not end with CR LF");
}

function tooLarge(found: string): GatewayError {
  return new GatewayError(
    "headers_too_large",
    `The request's head has ${found}; at most ${MAX_HEAD_BYTES} bytes and 200 headers are allowed.`,
  );
}
