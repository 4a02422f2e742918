import type { WholeBody } from "../../core/answer/exchange.ts";
import { detachedPart } from "../grammar/detached-bytes.ts";
import type { AnswerBody } from "./reply.ts";

/** The character that text has in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";
/** Some decoders of UTF-8 leave it out, others keep it. */
const BYTE_ORDER_MARK = "\ufeff";

/** A body that arrived completely, in the same bytes as its head. */
export class ArrivedBody implements AnswerBody {
  #bytes: Buffer | null;
  readonly #start: number;
  readonly #end: number;

  /** The body's bytes are those of `bytes` from `start` to `end`. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  read(): Promise<Uint8Array | null> {
    const bytes = this.#bytes;
    this.#bytes = null;
    const is_empty = bytes === null || this.#start === this.#end;
    return Promise.resolve(is_empty ? null : detachedPart(bytes, this.#start, this.#end));
  }

  handNext(): false {
    return false;
  }

  takeWhole(): WholeBody | null {
    const bytes = this.#bytes;
    if (bytes === null) return null;
    this.#bytes = null;
    const text = bytes.toString("utf8", this.#start, this.#end);
    const is_same = !text.includes(REPLACEMENT) && !text.startsWith(BYTE_ORDER_MARK);
    return is_same ? text : detachedPart(bytes, this.#start, this.#end);
  }
}
