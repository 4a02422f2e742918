import type { Opaque } from "../../core/generation.ts";
import type { BlockKind, StreamEvent, TokenLogprob } from "../../core/stream-event.ts";

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
 * opened. The first open block passes through as it arrives; the text of later blocks waits for its end.
 */
export class BlockSequence {
  readonly #emit: (event: StreamEvent) => void;
  readonly #line: OpenBlock[] = [];
  /** Index of the block that passes through now; later blocks wait for it. */
  #index = 0;

  constructor(emit: (event: StreamEvent) => void) {
    this.#emit = emit;
  }

  open(block: BlockKind): OpenBlock {
    const opened: OpenBlock = { block, waiting: "", waiting_logprobs: [], ended: false, opaque: null };
    this.#line.push(opened);
    if (this.#line.length === 1) this.#start(opened);
    return opened;
  }

  /** Adds text to a block that has not ended. */
  add(opened: OpenBlock, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (this.#line[0] === opened) {
      this.#emit({ type: "block-delta", index: this.#index, text, ...(logprobs && { logprobs }) });
      return;
    }
    opened.waiting += text;
    if (logprobs !== undefined) opened.waiting_logprobs.push(...logprobs);
  }

  /** Ends a block. A second call has no effect. */
  end(opened: OpenBlock, opaque: Opaque | null = null): void {
    if (opened.ended) return;
    opened.ended = true;
    opened.opaque = opaque;
    for (let head = this.#line[0]; head?.ended; head = this.#line[0]) this.#finish(head);
  }

  /** Ends every open block. */
  endAll(): void {
    for (const opened of [...this.#line]) this.end(opened);
  }

  /** Whether later blocks wait for this one. */
  isAwaited(opened: OpenBlock): boolean {
    return this.#line.length > 1 && this.#line[0] === opened;
  }

  #start({ block, waiting, waiting_logprobs }: OpenBlock): void {
    this.#emit({ type: "block-start", index: this.#index, block });
    if (waiting === "" && waiting_logprobs.length === 0) return;
    const logprobs = waiting_logprobs.length > 0 && { logprobs: waiting_logprobs };
    this.#emit({ type: "block-delta", index: this.#index, text: waiting, ...logprobs });
  }

  #finish({ opaque }: OpenBlock): void {
    this.#emit({ type: "block-end", index: this.#index, ...(opaque && { opaque }) });
    this.#line.shift();
    this.#index++;
    const next = this.#line[0];
    if (next !== undefined) this.#start(next);
  }
}
