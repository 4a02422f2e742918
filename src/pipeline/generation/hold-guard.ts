import type { StreamAnswer } from "../../core/exchange.ts";
import { NO_USAGE } from "../../core/usage.ts";
import type { PlannedCandidate } from "./plan.ts";
import type { RunningRequest } from "./running-request.ts";

/**
 * Text bytes counted as one token while a stream runs. English text has more bytes a token, so the hold is extended
 * rather too early than too late; the charge is never computed from this.
 */
const BYTES_PER_TOKEN = 3;
const EXTEND_AT = 0.8;
const EXTENSION_TOKENS = 4096;
const PROGRESS_EVERY_MS = 5000;
/** The smallest size to which a piece of a stream is cut, and so the most by which a stream can exceed its hold. */
const SMALLEST_PIECE = 1024;

/** Guards a stream's hold: extends it before it is used up, and records progress now and then. */
export class HoldGuard {
  readonly #run: RunningRequest;
  readonly #candidate: PlannedCandidate;
  readonly #clock: { readonly now_ms: number };
  #held_tokens: number;
  /** The output bytes at which `check` has work to do: each piece costs one comparison. */
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

  /** Whether `check` must be called. Called for every piece that passes. */
  isDue(output_bytes: number): boolean {
    return output_bytes >= this.#due_bytes || this.#clock.now_ms >= this.#next_progress_ms;
  }

  /**
   * As many of the vendor's bytes as may pass before `check` is called; the rest becomes `waiting`. A vendor may send a
   * long answer in one piece, and a piece has no more bytes of text than bytes.
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

  /** Bytes from the vendor that wait until the hold covers them. */
  get waiting(): Uint8Array | null {
    return this.#waiting;
  }

  /** Records progress, and extends the hold when it is nearly used up. False when it cannot be extended. */
  async check(answer: StreamAnswer): Promise<boolean> {
    const { now_ms } = this.#clock;
    if (now_ms >= this.#next_progress_ms) {
      this.#next_progress_ms = now_ms + PROGRESS_EVERY_MS;
      this.#recordProgress(answer);
    }
    if (answer.output_bytes < this.#due_bytes) return true;
    if (!(await this.#run.extend(EXTENSION_TOKENS, this.#candidate))) {
      // The output may still use the rest of the hold, and ends after that.
      const whole = this.#held_tokens * BYTES_PER_TOKEN;
      if (answer.output_bytes >= whole) return false;
      this.#due_bytes = whole;
      return true;
    }
    this.#held_tokens += EXTENSION_TOKENS;
    this.#due_bytes = this.#extensionPoint();
    return true;
  }

  /**
   * The output size at which the hold is extended. A client's own cap is covered from the start: never extended, never
   * cut.
   */
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
