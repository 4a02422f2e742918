import { ChunkedBody } from "../grammar/chunked-body.ts";
import { detachedPart } from "../grammar/detached-bytes.ts";
import { HEAD_END, requireLineEnds } from "../grammar/head-lines.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";
import { AnswerHead } from "./answer-head.ts";
import { ArrivedBody } from "./arrived-body.ts";

const MAX_HEAD_BYTES = 64 * 1024;
/** The largest number of interim answers before an answer. */
const MAX_INTERIM = 16;

/** Receives an answer's parts as they are parsed. */
export interface AnswerSink {
  /** `body` is set where all of the body arrived together with its head: no pieces follow then. */
  head(head: AnswerHead, body: ArrivedBody | null): void;
  /** A part of the body, as it arrived. */
  piece(data: Buffer): void;
  /** The answer is complete. `is_clean`: no bytes followed its last byte. */
  end(is_clean: boolean): void;
}

/**
 * Parses the answers of one connection, one after the other, from slices cut anywhere. Skips interim answers (status
 * 1xx).
 */
export class AnswerParser {
  readonly #sink: AnswerSink;
  readonly #chunked = new ChunkedBody({ is_strict: false });
  /** Null while a head is expected. */
  #head: AnswerHead | null = null;
  /** The beginning of a head that has not arrived completely. */
  #begun: Buffer | null = null;
  /** How many interim answers came before the head that is expected. */
  #interim = 0;
  /** How many bytes of a body with a length are still to come. */
  #left = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Parses the next bytes and takes ownership of them. Throws a MalformedMessage; no call may follow that. */
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

  /**
   * Called when the vendor closed the connection: this ends a body that the connection's end delimits. Throws a
   * MalformedMessage for all other answers.
   */
  close(): void {
    if (this.#head?.framing !== "close") {
      throw new MalformedMessage(this.#head === null ? "there is none" : "it breaks off before its end");
    }
    this.#head = null;
    this.#sink.end(false);
  }

  /**
   * Parses the head at the beginning of these bytes. Returns where the body begins, or -1 when more bytes are needed.
   */
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
      if (head.status < 200) {
        this.#interim += 1;
        if (this.#interim > MAX_INTERIM)
          throw new MalformedMessage(`more than ${MAX_INTERIM} interim answers precede it`);
        continue;
      }
      this.#interim = 0;
      this.#begun = null;
      return this.#begin(head, bytes, start);
    }
  }

  /** Returns where to read on: after the body, where all of it is there. */
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

  /** Reads the next part of the body. Returns where the body ended, or -1 when more bytes are needed. */
  #readBody(bytes: Buffer, start: number): number {
    if (this.#head?.framing === "chunked") {
      const at = this.#chunked.feed(bytes, start, this.#sink);
      return this.#chunked.isDone ? at : -1;
    }
    const end = Math.min(bytes.length, start + this.#left);
    if (end > start) this.#sink.piece(detachedPart(bytes, start, end));
    this.#left -= end - start;
    return this.#left === 0 ? end : -1;
  }
}

/** Rejects a partial head that is too long, or whose end would never be found. */
function checkBegun(begun: Buffer): void {
  if (begun.length > MAX_HEAD_BYTES) throw new MalformedMessage(`its head has more than ${MAX_HEAD_BYTES} bytes`);
  requireLineEnds(begun);
}
