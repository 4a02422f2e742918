import type { StreamAnswer } from "../../core/exchange.ts";
import { NO_USAGE } from "../../core/usage.ts";
import type { PlannedCandidate } from "./plan.ts";
import type { RunningRequest } from "./running-request.ts";

/**
 * Text bytes counted as one token while a stream runs. Fewer than English text has, so that the hold is extended rather
 * too early than too late; the charge never comes from it.
 */
const BYTES_PER_TOKEN = 3;
const EXTEND_AT = 0.8;
const EXTENSION_TOKENS = 4096;
const PROGRESS_EVERY_MS = 5000;
/** No piece of a stream is made smaller than this: what a hold may be overrun by. */
const SMALLEST_PIECE = 1024;

/** Watches over a stream's hold: extends it before it runs out, and records progress now and then. */
export class HoldGuard {
  readonly #run: RunningRequest;
  readonly #candidate: PlannedCandidate;
  readonly #clock: { readonly now_ms: number };
  #held_tokens: number;
  /** Output bytes at which something is to be done; checked on every piece, so it is a comparison. */
  #due_bytes: number;
  #next_progress_ms: number;
  #waiting: Uint8Array | null = null;

  constructor(run: RunningRequest, candidate: PlannedCandidate) {
    this.#run = run;
    this.#candidate = candidate;
    this.#clock = run.deps.upstream;
    this.#held_tokens = run.plan.held_output_tokens;
    this.#due_bytes = this.#extensionPoint();
    this.#next_progress_ms = this.#clock.now_ms + PROGRESS_EVERY_MS;
  }

  /** Whether `check` has to be asked. Called for every piece that passes. */
  isDue(output_bytes: number): boolean {
    return output_bytes >= this.#due_bytes || this.#clock.now_ms >= this.#next_progress_ms;
  }

  /**
   * As much of the vendor's bytes as may pass before `check` is asked; the rest is `waiting`. A vendor may send a long
   * answer in one piece, and no more text is in it than bytes.
   */
  cover(chunk: Uint8Array, output_bytes: number): Uint8Array {
    const room = Math.max(SMALLEST_PIECE, Math.ceil(this.#due_bytes - output_bytes));
    if (chunk.byteLength <= room) {
      this.#waiting = null;
      return chunk;
    }
    this.#waiting = chunk.subarray(room);
    return chunk.subarray(0, room);
  }

  /** Bytes that came from the vendor and wait until the hold covers them. */
  get waiting(): Uint8Array | null {
    return this.#waiting;
  }

  /** Records progress, extends the hold when it is nearly used up. False when it cannot be extended. */
  async check(answer: StreamAnswer): Promise<boolean> {
    const { now_ms } = this.#clock;
    if (now_ms >= this.#next_progress_ms) {
      this.#next_progress_ms = now_ms + PROGRESS_EVERY_MS;
      this.#recordProgress(answer);
    }
    if (answer.output_bytes < this.#due_bytes) return true;
    if (!(await this.#run.extend(EXTENSION_TOKENS, this.#candidate))) {
      // The rest of the hold may still be used: the output ends when it is.
      const whole = this.#held_tokens * BYTES_PER_TOKEN;
      if (answer.output_bytes >= whole) return false;
      this.#due_bytes = whole;
      return true;
    }
    this.#held_tokens += EXTENSION_TOKENS;
    this.#due_bytes = this.#extensionPoint();
    return true;
  }

  /** A client's own cap is covered by the hold from the start: it is never extended and never cut. */
  #extensionPoint(): number {
    if (this.#run.plan.covers_cap) return Number.POSITIVE_INFINITY;
    return this.#held_tokens * BYTES_PER_TOKEN * EXTEND_AT;
  }

  #recordProgress(answer: StreamAnswer): void {
    const known = answer.usage ?? { ...NO_USAGE, input_tokens: Math.ceil(this.#run.plan.bound_tokens / 4) };
    const output_tokens = Math.max(known.output_tokens, Math.ceil(answer.output_bytes / 4));
    this.#run.recordProgress(this.#candidate, { ...known, output_tokens });
  }
}
