import type { LimitState } from "../core/ledger/ledger.ts";
import { NEVER_RETRY_MS, UNITS_PER_TOKEN } from "./bucket.ts";

/**
 * A token bucket in one process, with the arithmetic of bucket.ts. For the requests that the books count it is what this
 * node believes of their bucket between two admissions: it counts its own requests, and learns of other nodes' from the
 * result of each admission. It may believe that there is more room than there is, and an admission then says so. It never
 * believes that there is less, except for a while after the limit was raised.
 *
 * Fields that change in place: every call of the hot path takes one token.
 */
export class LocalRate {
  #limit = 0;
  #used_units = 0;
  #at_ms = 0;

  /** The limit that was asked about last. */
  get limit(): number {
    return this.#limit;
  }

  /** Milliseconds until there is room for one request under this limit per minute; 0 where there is room now. */
  wait_ms(limit: number, now_ms: number): number {
    if (limit <= 0) return NEVER_RETRY_MS;
    this.#refill(limit, now_ms);
    return Math.max(0, Math.ceil((this.#used_units - (limit - 1) * UNITS_PER_TOKEN) / limit));
  }

  /** Takes one token or more, but no more than there are. */
  take(limit: number, now_ms: number, count = 1): void {
    this.#refill(limit, now_ms);
    this.#used_units = Math.min(limit * UNITS_PER_TOKEN, this.#used_units + count * UNITS_PER_TOKEN);
  }

  /** Gives back the token of a request that the books never heard of. */
  giveBack(): void {
    this.#used_units = Math.max(0, this.#used_units - UNITS_PER_TOKEN);
  }

  /** Takes in what the books said of their bucket, to somebody who asked at `asked_ms` or later. */
  learn({ limit, reset_ms }: LimitState, asked_ms: number): void {
    this.#refill(limit, asked_ms);
    // Rounded up by the books, and refilled since they were asked.
    const used_ms = reset_ms - 1 - (this.#at_ms - asked_ms);
    this.#used_units = Math.max(this.#used_units, used_ms * limit);
  }

  state(limit: number, now_ms: number): LimitState {
    this.#refill(limit, now_ms);
    const free_units = Math.max(0, limit * UNITS_PER_TOKEN - this.#used_units);
    return {
      limit,
      remaining: Math.floor(free_units / UNITS_PER_TOKEN),
      reset_ms: limit <= 0 ? NEVER_RETRY_MS : Math.ceil(this.#used_units / limit),
    };
  }

  #refill(limit: number, now_ms: number): void {
    const elapsed_ms = now_ms - this.#at_ms;
    if (elapsed_ms > 0) {
      this.#used_units = Math.max(0, this.#used_units - elapsed_ms * this.#limit);
      this.#at_ms = now_ms;
    }
    this.#limit = limit;
  }
}
