import { Crowd } from "../core/crowd.ts";

/**
 * Many deadlines on one timer. A call to a vendor and a client's connection each have a moving deadline; a timer for each
 * would be set and cleared on every streamed chunk, so a single interval looks at all of them instead. A deadline is
 * therefore noticed up to one tick late.
 */

const TICK_MS = 200;

/** What has deadlines. */
export interface Watched {
  /** Fires the expiry when a deadline has passed. True when it did: then it is not watched any further. */
  check(now_ms: number): boolean;
}

export class Deadlines {
  readonly #running = new Crowd<Watched>();
  #timer: Timer | null = null;
  /** The monotonic time of the last tick: precise enough to move a deadline by, and free to read. */
  #now_ms = performance.now();

  /** The current time, precise while idle and at most one tick old while requests run. */
  get now_ms(): number {
    if (this.#timer === null) this.#now_ms = performance.now();
    return this.#now_ms;
  }

  /** Watches a deadline until it fires or is removed. */
  add(deadline: Watched): void {
    this.#running.add(deadline);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  remove(deadline: Watched): void {
    this.#running.delete(deadline);
  }

  #tick(): void {
    this.#now_ms = performance.now();
    for (const deadline of this.#running) if (deadline.check(this.#now_ms)) this.#running.delete(deadline);
    if (this.#running.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}
