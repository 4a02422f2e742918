import type { BlockDelta, StreamEvent, TokenLogprob } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/**
 * Cuts the text of an answer at the first stop sequence, for vendors without stop sequences (docs/rulings.md 14c). The
 * sequence is not part of the output. Text that may be the beginning of a sequence is held back until it is known not
 * to be. Sequences are looked for in text only, as vendors do it, and not across blocks (docs/rulings.md 71).
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

/** Text that is held back: it grows at its end and is released from its beginning, without copying what stays. */
class HeldText {
  length = 0;
  #pieces: string[] = [];
  /** How many of the pieces were released, and how many characters of the next. */
  #released = 0;
  #start = 0;

  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** Releases this many characters. */
  release(count: number): string {
    let text = "";
    for (let left = Math.min(count, this.length); left > 0; ) {
      const piece = this.#pieces[this.#released] as string;
      const taken = Math.min(left, piece.length - this.#start);
      text += piece.slice(this.#start, this.#start + taken);
      left -= taken;
      this.#start += taken;
      this.length -= taken;
      if (this.#start === piece.length) this.#forget();
    }
    return text;
  }

  /** The pieces that were released are removed when they are the greater part, so that each is moved seldom. */
  #forget(): void {
    this.#start = 0;
    this.#released += 1;
    if (this.#released * 2 <= this.#pieces.length) return;
    this.#pieces = this.#pieces.slice(this.#released);
    this.#released = 0;
  }
}

/**
 * Looks for one sequence in a text that comes in pieces, by the method of Knuth, Morris and Pratt: each character of the
 * text is looked at a bounded number of times, whatever the sequence is.
 */
class SequenceSearch {
  readonly sequence: string;
  /** How many characters at the end of the text so far are the beginning of the sequence. */
  begun = 0;
  /** For each beginning of the sequence, the longest shorter beginning that it ends with. */
  readonly #borders: Int32Array;

  /** `sequence` is not empty. */
  constructor(sequence: string) {
    this.sequence = sequence;
    this.#borders = bordersOf(sequence);
  }

  /** Takes the next piece. Where the sequence ends in it, the place after its end; -1 otherwise. */
  take(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      if (this.begun === 0) {
        // The search of the runtime is faster than a look at each character.
        at = piece.indexOf(this.sequence.charAt(0), at);
        if (at === -1) return -1;
      }
      this.begun = this.#after(piece.charCodeAt(at));
      if (this.begun === this.sequence.length) return at + 1;
    }
    return -1;
  }

  /** Forgets the text so far. */
  reset(): void {
    this.begun = 0;
  }

  #after(code: number): number {
    let begun = this.begun;
    while (begun > 0 && this.sequence.charCodeAt(begun) !== code) begun = this.#borders[begun - 1] as number;
    return this.sequence.charCodeAt(begun) === code ? begun + 1 : 0;
  }
}

function bordersOf(sequence: string): Int32Array {
  const borders = new Int32Array(sequence.length);
  for (let at = 1, length = 0; at < sequence.length; at++) {
    const code = sequence.charCodeAt(at);
    while (length > 0 && sequence.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (sequence.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  return borders;
}
