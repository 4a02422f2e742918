import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, StreamEvent, TokenLogprob } from "../../core/answer/stream-event.ts";

/** A handle of an opened block: the caller gives it back to `add` and `end`. */
export interface OpenBlock {
  readonly block: BlockKind;
  /** Text that waits for the blocks before it. */
  waiting: string;
  waiting_logprobs: TokenLogprob[];
  ended: boolean;
  opaque: Opaque | null;
}

/**
 * Turns blocks that a vendor writes side by side into blocks that follow each other, in the order in which they were
 * opened. The first open block passes through as it arrives; the text of later blocks waits for its end
 * (docs/rulings.md 77).
 */
export class BlockSequence {
  readonly #emit: (event: StreamEvent) => void;
  /** The blocks that have not been sent to their end, from `#head` on; those before it are finished. */
  #line: OpenBlock[] = [];
  #head = 0;
  /** Index of the block that passes through now; later blocks wait for it. */
  #index = 0;

  constructor(emit: (event: StreamEvent) => void) {
    this.#emit = emit;
  }

  open(block: BlockKind): OpenBlock {
    const opened: OpenBlock = { block, waiting: "", waiting_logprobs: [], ended: false, opaque: null };
    this.#line.push(opened);
    if (this.#line[this.#head] === opened) this.#start(opened);
    return opened;
  }

  /** Adds text to a block that has not ended. */
  add(opened: OpenBlock, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (this.#line[this.#head] === opened) {
      this.#emit({ type: "block-delta", index: this.#index, text, ...(logprobs && { logprobs }) });
      return;
    }
    opened.waiting += text;
    if (logprobs !== undefined) for (const logprob of logprobs) opened.waiting_logprobs.push(logprob);
  }

  /** Ends a block. A second call has no effect. */
  end(opened: OpenBlock, opaque: Opaque | null = null): void {
    if (opened.ended) return;
    opened.ended = true;
    opened.opaque = opaque;
    for (let head = this.#line[this.#head]; head?.ended; head = this.#line[this.#head]) this.#finish(head);
  }

  /** Ends every open block. */
  endAll(): void {
    for (const opened of this.#line.slice(this.#head)) this.end(opened);
  }

  /** Whether later blocks wait for this one. */
  isAwaited(opened: OpenBlock): boolean {
    return this.#line[this.#head] === opened && this.#line.length > this.#head + 1;
  }

  #start({ block, waiting, waiting_logprobs }: OpenBlock): void {
    this.#emit({ type: "block-start", index: this.#index, block });
    if (waiting === "" && waiting_logprobs.length === 0) return;
    const logprobs = waiting_logprobs.length > 0 && { logprobs: waiting_logprobs };
    this.#emit({ type: "block-delta", index: this.#index, text: waiting, ...logprobs });
  }

  #finish({ opaque }: OpenBlock): void {
    this.#emit({ type: "block-end", index: this.#index, ...(opaque && { opaque }) });
    this.#head++;
    this.#index++;
    const next = this.#line[this.#head];
    // The finished blocks are forgotten when they are the greater part, so that each block is moved seldom.
    if (this.#head * 2 > this.#line.length) {
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
    if (next !== undefined) this.#start(next);
  }
}
