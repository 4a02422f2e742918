import { Bag } from "../core/bag.ts";

/**
 * Many deadlines on one timer. Calls to vendors and clients' connections each have a moving deadline; a timer for each
 * would be set and cleared on every streamed chunk, so one interval checks all of them. It notices a passed deadline up
 * to one tick late.
 */

const TICK_MS = 200;

/** An object with a deadline. */
export interface WithDeadline {
  /** Acts if the deadline has passed. Returns true when it has: the object is then no longer watched. */
  check(now_ms: number): boolean;
}

export class Deadlines {
  readonly #running = new Bag<WithDeadline>();
  #timer: Timer | null = null;
  /** The monotonic time of the last tick: precise enough for moving a deadline, and free to read. */
  #now_ms = performance.now();

  /** The current time, precise while idle and at most one tick old while requests run. */
  get now_ms(): number {
    if (this.#timer === null) this.#now_ms = performance.now();
    return this.#now_ms;
  }

  /** Watches an object until its deadline passes or it is removed. */
  add(deadline: WithDeadline): void {
    this.#running.add(deadline);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  remove(deadline: WithDeadline): void {
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
