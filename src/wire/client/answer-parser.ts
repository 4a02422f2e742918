import { AnswerHead } from "./answer-head.ts";
import { ArrivedBody } from "./arrived-body.ts";
import { ChunkedBody } from "../grammar/chunked-body.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { partOf } from "../grammar/part-of.ts";

const MAX_HEAD_BYTES = 64 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const LF = 10;

/** Takes an answer's parts as they are found. */
export interface AnswerSink {
  /** `body` where all of it came together with its head: then there are no pieces. */
  head(head: AnswerHead, body: ArrivedBody | null): void;
  /** A part of the body, as it came. */
  piece(data: Buffer): void;
  /** The answer is whole. `is_clean`: and its last byte was the last that was there. */
  end(is_clean: boolean): void;
}

/**
 * Takes apart the answers of one connection, one after the other, in whatever slices their bytes arrive. Interim answers
 * (status 1xx) are passed over.
 */
export class AnswerParser {
  readonly #sink: AnswerSink;
  readonly #chunked = new ChunkedBody({ is_strict: false });
  /** Null while a head is awaited. */
  #head: AnswerHead | null = null;
  /** The beginning of a head that did not come whole. */
  #begun: Buffer | null = null;
  /** Of a body with a length: what is still to come. */
  #left = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Takes the next bytes, for its own use. Throws a MalformedMessage, and must not be fed any more after that. */
  feed(bytes: Buffer): void {
    let rest = bytes;
    let at = 0;
    if (this.#head === null) {
      if (this.#begun !== null) rest = Buffer.concat([this.#begun, bytes]);
      at = this.#readHead(rest);
      if (at === -1) return;
    }
    const end = this.#readBody(rest, at);
    if (end === -1) return;
    this.#head = null;
    this.#sink.end(end === rest.length);
  }

  /** The vendor has closed the connection: an end to a body that is delimited by it, a MalformedMessage for all others. */
  close(): void {
    if (this.#head?.framing !== "close") {
      throw new MalformedMessage(this.#head === null ? "there is none" : "it breaks off before its end");
    }
    this.#head = null;
    this.#sink.end(false);
  }

  /** Reads the head that begins these bytes. Returns where the body begins, or -1 when more has to come first. */
  #readHead(bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(HEAD_END, start);
      if (end === -1 || end - start > MAX_HEAD_BYTES) {
        this.#begun = start === 0 ? bytes : bytes.subarray(start);
        checkBegun(this.#begun);
        return -1;
      }
      const head = new AnswerHead(bytes.toString("latin1", start, end));
      start = end + HEAD_END.length;
      if (head.status === 101) throw new MalformedMessage("it changes to a protocol that nobody asked for");
      if (head.status < 200) continue;
      this.#begun = null;
      return this.#begin(head, bytes, start);
    }
  }

  /** Returns where there is more to be read: behind the body, where all of that has come. */
  #begin(head: AnswerHead, bytes: Buffer, start: number): number {
    const { framing } = head;
    this.#head = head;
    this.#left = 0;
    if (typeof framing === "number" && start + framing <= bytes.length) {
      this.#sink.head(head, new ArrivedBody(bytes, start, start + framing));
      return start + framing;
    }
    if (framing === "chunked") this.#chunked.reset();
    else this.#left = framing === "close" ? Number.POSITIVE_INFINITY : framing;
    this.#sink.head(head, null);
    return start;
  }

  /** Reads on in the body. Returns where it ended, or -1 when more has to come. */
  #readBody(bytes: Buffer, start: number): number {
    if (this.#head?.framing === "chunked") {
      const at = this.#chunked.feed(bytes, start, this.#sink);
      return this.#chunked.isDone ? at : -1;
    }
    const end = Math.min(bytes.length, start + this.#left);
    if (end > start) this.#sink.piece(partOf(bytes, start, end));
    this.#left -= end - start;
    return this.#left === 0 ? end : -1;
  }
}

/** A head may come in pieces, but not for ever; and lines that end otherwise would be waited on for ever. */
function checkBegun(begun: Buffer): void {
  if (begun.length > MAX_HEAD_BYTES) throw new MalformedMessage(`its head has more than ${MAX_HEAD_BYTES} bytes`);
  const lf = begun.indexOf(LF);
  if (lf === 0 || (lf > 0 && begun[lf - 1] !== 13))
    throw new MalformedMessage("it has a line in its head that does not end with CR LF");
}
