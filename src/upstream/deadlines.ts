import { Crowd } from "../core/crowd.ts";

/**
 * Many deadlines on one timer. Each running request has a moving deadline (first byte, idle, total); a timer for each
 * would be set and cleared on every streamed chunk, so a single interval looks at all of them instead. Deadlines are
 * therefore late by up to one tick, which none of them minds.
 */

const TICK_MS = 200;

/** What has deadlines. */
export interface Watched {
  /** Fires the expiry when a deadline has passed. True when it did: then it is not watched any further. */
  check(now_ms: number): boolean;
}

/** A running request's deadlines, as moments on the monotonic clock. `Infinity` for none. */
export class Deadline implements Watched {
  /** Moved on every chunk: first-byte deadline first, idle deadline afterwards. */
  next_ms: number;
  readonly total_ms: number;
  readonly #expire: (which: "next" | "total") => void;

  constructor(next_ms: number, total_ms: number, expire: (which: "next" | "total") => void) {
    this.next_ms = next_ms;
    this.total_ms = total_ms;
    this.#expire = expire;
  }

  /** Fires the expiry when a deadline has passed. True when it did. */
  check(now_ms: number): boolean {
    if (now_ms < this.next_ms && now_ms < this.total_ms) return false;
    this.#expire(now_ms >= this.total_ms ? "total" : "next");
    return true;
  }
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
