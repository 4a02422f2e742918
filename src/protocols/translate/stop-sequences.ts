import type { BlockDelta, StreamEvent, TokenLogprob } from "../../core/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/**
 * Cuts the text of an answer at the first stop sequence, for vendors without stop sequences (docs/rulings.md 14c). The
 * sequence is not part of the output. Text that may be the beginning of a sequence is held back until it is known not
 * to be. Sequences are looked for in text only, as vendors do it, and not across blocks.
 */
export class StopSequences implements EventPass {
  /** The sequence that ended the answer; the vendor's later output is dropped. */
  matched: string | null = null;
  readonly #sequences: readonly string[];
  readonly #longest: number;
  #in_text = false;
  #held = "";
  #held_logprobs: TokenLogprob[] = [];

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== "");
    this.#longest = Math.max(0, ...this.#sequences.map(({ length }) => length));
  }

  take(event: StreamEvent, emit: Emit): void {
    if (this.matched !== null) return this.#takeAfterMatch(event, emit);
    if (event.type === "block-delta" && this.#in_text) return this.#takeText(event, emit);
    if (event.type === "block-start") this.#in_text = event.block.kind === "text";
    if (event.type === "block-end" && this.#held !== "") this.#release(event.index, this.#held, emit);
    emit(event);
  }

  /**
   * Handles events after the cut: the vendor's end passes with the reason `stop`; an error after the cut does
   * not reach the client.
   */
  #takeAfterMatch(event: StreamEvent, emit: Emit): void {
    if (event.type === "finish") emit({ ...event, reason: "stop", stop_sequence: this.matched });
    if (event.type === "error")
      emit({ type: "finish", reason: "stop", stop_sequence: this.matched, raw_reason: null, usage: null });
  }

  #takeText({ index, text, logprobs }: BlockDelta, emit: Emit): void {
    const all = this.#held + text;
    const match = this.#firstMatch(all);
    if (match !== null) {
      this.matched = match.sequence;
      if (match.at > 0) this.#release(index, all.slice(0, match.at), emit);
      emit({ type: "block-end", index });
      return;
    }
    if (logprobs !== undefined) this.#held_logprobs.push(...logprobs);
    const keep = this.#possibleStart(all);
    if (keep < all.length || text === "") this.#release(index, all.slice(0, all.length - keep), emit);
    this.#held = all.slice(all.length - keep);
  }

  #release(index: number, text: string, emit: Emit): void {
    const logprobs = this.#held_logprobs;
    this.#held = "";
    this.#held_logprobs = [];
    emit({ type: "block-delta", index, text, ...(logprobs.length > 0 && { logprobs }) });
  }

  /**
   * The match that ends first, which is where a model would have stopped; of two matches with the same end the longer.
   * A match that began earlier but has not ended does not count, so the result does not depend on how the text is split
   * into pieces.
   */
  #firstMatch(text: string): { readonly sequence: string; readonly at: number } | null {
    let found: { sequence: string; at: number; end: number } | null = null;
    for (const sequence of this.#sequences) {
      const at = text.indexOf(sequence);
      const end = at + sequence.length;
      if (at === -1 || (found !== null && (end > found.end || (end === found.end && at >= found.at)))) continue;
      found = { sequence, at, end };
    }
    return found;
  }

  /** The number of characters at the end that may be the beginning of a sequence. */
  #possibleStart(text: string): number {
    for (let length = Math.min(this.#longest - 1, text.length); length > 0; length--) {
      const end = text.slice(text.length - length);
      if (this.#sequences.some((sequence) => sequence.startsWith(end))) return length;
    }
    return 0;
  }
}
