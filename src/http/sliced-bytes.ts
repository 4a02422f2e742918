import type { AnswerSource, AnswerTaker } from "../core/answer/answer-stream.ts";

/** The most bytes that are written in one turn of the event loop. */
const SLICE_BYTES = 2 ** 20;

/** A large answer in parts that are not joined: a slice in each turn of the event loop, as the client takes it. */
export class SlicedBytes implements AnswerSource {
  readonly #parts: Uint8Array[];
  #is_over = false;

  constructor(parts: readonly Uint8Array[]) {
    this.#parts = parts.filter(({ byteLength }) => byteLength > 0);
  }

  pull(taker: AnswerTaker): void {
    setImmediate(() => this.#give(taker));
  }

  abort(): void {
    this.#is_over = true;
    this.#parts.length = 0;
  }

  #give(taker: AnswerTaker): void {
    if (this.#is_over) return;
    const part = this.#parts.shift() ?? new Uint8Array(0);
    if (part.byteLength > SLICE_BYTES) this.#parts.unshift(part.subarray(SLICE_BYTES));
    const slice = part.subarray(0, SLICE_BYTES);
    if (this.#parts.length > 0) return taker.take(slice);
    this.#is_over = true;
    taker.end(slice);
  }
}
