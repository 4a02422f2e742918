import type { AnswerBody } from "../reply.ts";
import { partOf } from "./part-of.ts";

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
    return Promise.resolve(this.takeWhole());
  }

  handNext(): false {
    return false;
  }

  takeWhole(): Uint8Array | null {
    const bytes = this.#bytes;
    this.#bytes = null;
    return bytes === null || this.#start === this.#end ? null : partOf(bytes, this.#start, this.#end);
  }
}
