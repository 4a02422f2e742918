import type { BlockDelta, StreamEvent, TokenLogprob } from "../../core/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";
import { HeldText } from "./held-text.ts";
import { SequenceSearch } from "./sequence-search.ts";

/**
 * Cuts the text of an answer at the first stop sequence, for vendors without stop sequences (docs/rulings.md 14c). The
 * sequence is not part of the output. Text that may be the beginning of a sequence is held back until it is known not
 * to be. Sequences are looked for in text only, as vendors do it, and not across blocks.
 */
export class StopSequences implements EventPass {
  /** The sequence that ended the answer; the vendor's later output is dropped. */
  matched: string | null = null;
  readonly #searches: readonly SequenceSearch[];
  #in_text = false;
  readonly #held = new HeldText();
  #held_logprobs: TokenLogprob[] = [];

  constructor(sequences: readonly string[]) {
    this.#searches = sequences.filter((sequence) => sequence !== "").map((sequence) => new SequenceSearch(sequence));
  }

  take(event: StreamEvent, emit: Emit): void {
    if (this.matched !== null) return this.#takeAfterMatch(event, emit);
    if (event.type === "block-delta" && this.#in_text) return this.#takeText(event, emit);
    if (event.type === "block-start") this.#in_text = event.block.kind === "text";
    if (event.type === "block-end") this.#endBlock(event.index, emit);
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

  #endBlock(index: number, emit: Emit): void {
    if (this.#held.length > 0) this.#release(index, this.#held.length, emit);
    for (const search of this.#searches) search.reset();
  }

  #takeText({ index, text, logprobs }: BlockDelta, emit: Emit): void {
    const match = this.#firstMatch(text);
    const before = this.#held.length;
    this.#held.add(text);
    if (match !== null) {
      this.matched = match.sequence;
      const kept = before + match.end - match.sequence.length;
      if (kept > 0) this.#release(index, kept, emit);
      emit({ type: "block-end", index });
      return;
    }
    if (logprobs !== undefined) for (const logprob of logprobs) this.#held_logprobs.push(logprob);
    const begun = this.#searches.reduce((most, search) => Math.max(most, search.begun), 0);
    if (begun < this.#held.length || text === "") this.#release(index, this.#held.length - begun, emit);
  }

  #release(index: number, characters: number, emit: Emit): void {
    const logprobs = this.#held_logprobs;
    this.#held_logprobs = [];
    const text = this.#held.release(characters);
    emit({ type: "block-delta", index, text, ...(logprobs.length > 0 && { logprobs }) });
  }

  /**
   * The match that ends first, which is where a model would have stopped; of two matches with the same end the longer.
   * A match that began earlier but has not ended does not count, so the result does not depend on how the text is split
   * into pieces. `end` is the place after the match in the text.
   */
  #firstMatch(text: string): { readonly sequence: string; readonly end: number } | null {
    let found: { sequence: string; end: number } | null = null;
    for (const search of this.#searches) {
      const { sequence } = search;
      const end = search.take(text);
      if (end === -1) continue;
      if (found !== null && (end > found.end || (end === found.end && sequence.length <= found.sequence.length)))
        continue;
      found = { sequence, end };
    }
    return found;
  }
}
