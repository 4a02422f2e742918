import { UnorderedSet } from "../core/unordered-set.ts";

/**
 * Many deadlines on one timer. Calls to vendors and clients' connections each have a moving deadline; a timer for each
 * would be set and cleared on every streamed chunk, so one interval checks all of them. It notices a passed deadline up
 * to one tick late.
 */

const TICK_MS = 200;
/** While no deadline moves and all are further away than this, the timer sleeps until the nearest deadline. */
const NEAR_MS = 1000;
const LONGEST_SLEEP_MS = 10_000;

export interface WithDeadline {
  /**
   * Acts if the deadline has passed. Returns the time of the next deadline, infinity where there is none at the moment; null for an object that
   * is no longer to be watched.
   */
  check(now_ms: number): number | null;
}

export class Deadlines {
  readonly #running = new UnorderedSet<WithDeadline>();
  #timer: Timer | null = null;
  /** The monotonic time of the last tick: precise enough for moving a deadline, and free to read. */
  #now_ms = performance.now();
  /** Whether a deadline was added or may have moved since the last tick: a caller that moves a deadline reads the time. */
  #has_moved = false;
  /** Whether the next tick is further away than usual: idle connections alone would wake an idle gateway five times a second. */
  #is_asleep = false;

  /** The current time, precise while idle and at most one tick old while requests run. */
  get now_ms(): number {
    this.#has_moved = true;
    if (this.#timer === null) this.#now_ms = performance.now();
    else if (this.#is_asleep) this.#wake();
    return this.#now_ms;
  }

  /** Watches an object until its deadline passes or it is removed. */
  add(deadline: WithDeadline): void {
    this.#running.add(deadline);
    this.#has_moved = true;
    if (this.#is_asleep) this.#wake();
    else this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  remove(deadline: WithDeadline): void {
    this.#running.delete(deadline);
    // A process that has nothing else to do must not wait for a timer that is far away.
    if (this.#is_asleep && this.#running.size === 0) this.#stop();
  }

  #wake(): void {
    this.#now_ms = performance.now();
    this.#stop();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#now_ms = performance.now();
    const had_moved = this.#has_moved;
    this.#has_moved = false;
    let next_ms = Number.POSITIVE_INFINITY;
    for (const deadline of this.#running) {
      const due_ms = deadline.check(this.#now_ms);
      if (due_ms === null) this.#running.delete(deadline);
      else if (due_ms < next_ms) next_ms = due_ms;
    }
    if (this.#running.size === 0) this.#stop();
    else if (!had_moved && !this.#has_moved) this.#sleepUntil(next_ms);
  }

  #sleepUntil(next_ms: number): void {
    const sleep_ms = Math.min(next_ms - this.#now_ms, LONGEST_SLEEP_MS);
    if (sleep_ms >= NEAR_MS) {
      this.#stop();
      this.#is_asleep = true;
      this.#timer = setTimeout(() => this.#tick(), sleep_ms);
    } else if (this.#is_asleep) this.#wake();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#is_asleep = false;
  }
}
