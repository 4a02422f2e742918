import type { AnswerSource, AnswerTaker } from "../core/answer-stream.ts";

const NOTHING = new Uint8Array(0);

/** A text that is made a piece at a time, each when the client has taken the one before. */
export class StreamedText implements AnswerSource {
  readonly #pieces: AsyncGenerator<string, void>;
  readonly #onFailure: (thrown: unknown) => void;
  #is_over = false;

  /** `onFailure` gets the error that kept the rest from being made; the client's connection is cut then. */
  constructor(pieces: AsyncGenerator<string, void>, onFailure: (thrown: unknown) => void) {
    this.#pieces = pieces;
    this.#onFailure = onFailure;
  }

  pull(taker: AnswerTaker): void {
    void this.#give(taker);
  }

  abort(): void {
    if (this.#is_over) return;
    this.#is_over = true;
    // No more pieces are asked for; the piece that is being read is dropped.
    this.#pieces.return().catch(() => {});
  }

  async #give(taker: AnswerTaker): Promise<void> {
    try {
      const { done = false, value } = await this.#pieces.next();
      if (this.#is_over) return;
      if (!done) return taker.take(Buffer.from(value ?? ""));
      this.#is_over = true;
      taker.end(NOTHING);
    } catch (thrown) {
      if (this.#is_over) return;
      this.#is_over = true;
      this.#onFailure(thrown);
      taker.fail(thrown);
    }
  }
}
