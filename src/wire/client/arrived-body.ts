import type { WholeBody } from "../../core/exchange.ts";
import type { AnswerBody } from "./reply.ts";
import { partOf } from "../grammar/part-of.ts";

/** What stands in text for bytes that are no UTF-8. */
const REPLACEMENT = "\ufffd";
/** Decoders of UTF-8 leave it out, and some do not. */
const BYTE_ORDER_MARK = "\ufeff";

/** A body that came whole, in the same bytes as its head. */
export class ArrivedBody implements AnswerBody {
  #bytes: Buffer | null;
  readonly #start: number;
  readonly #end: number;

  /** Its bytes are those from `start` to `end`. */
  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  read(): Promise<Uint8Array | null> {
    const bytes = this.#bytes;
    this.#bytes = null;
    const is_empty = bytes === null || this.#start === this.#end;
    return Promise.resolve(is_empty ? null : partOf(bytes, this.#start, this.#end));
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
    return is_same ? text : partOf(bytes, this.#start, this.#end);
  }
}
