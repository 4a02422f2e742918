/**
 * A retry budget: retries are limited to a share of the requests of the last seconds, with a small minimum, so that a
 * vendor that always fails does not get twice as many calls because of it.
 */

const WINDOW_MS = 10_000;
const SHARE = 0.2;
const FLOOR = 3;

export class RetryBudget {
  readonly #now_ms: () => number;
  #window_start_ms = 0;
  #requests = 0;
  #retries = 0;
  #previous_requests = 0;
  #previous_retries = 0;

  /** `now_ms` is a monotonic clock. */
  constructor(now_ms: () => number) {
    this.#now_ms = now_ms;
  }

  /** Counts a request's first attempt. `now_ms`: the monotonic time, where the caller has it already. */
  countRequest(now_ms = this.#now_ms()): void {
    this.#roll(now_ms);
    this.#requests += 1;
  }

  /** Takes one retry from the budget. False when the budget is used up: the client then gets the failure. */
  takeRetry(now_ms = this.#now_ms()): boolean {
    this.#roll(now_ms);
    const allowed = Math.max(FLOOR, Math.floor(SHARE * (this.#requests + this.#previous_requests)));
    if (this.#retries + this.#previous_retries >= allowed) return false;
    this.#retries += 1;
    return true;
  }

  #roll(now_ms: number): void {
    const age_ms = now_ms - this.#window_start_ms;
    if (age_ms < WINDOW_MS) return;
    const follows = age_ms < 2 * WINDOW_MS;
    this.#previous_requests = follows ? this.#requests : 0;
    this.#previous_retries = follows ? this.#retries : 0;
    this.#requests = 0;
    this.#retries = 0;
    this.#window_start_ms = now_ms;
  }
}
