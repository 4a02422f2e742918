/** How long a request waits for the database before it fails with "the database is away". */
export const DEADLINE_MS = 4500;

/** A promise that rejects when its time is over. The time may be set anew while it runs. */
export class Deadline {
  readonly #late = Promise.withResolvers<never>();
  #timer: Timer | null = null;
  #over_ms = Number.POSITIVE_INFINITY;
  #error: () => Error = () => new Error("the time is over");

  /** Rejects when the time is over; never resolves. */
  get passed(): Promise<never> {
    return this.#late.promise;
  }

  /** Starts the time anew. When it is over, `extend` says how many milliseconds more there are; 0 ends the wait. */
  set(time_ms: number, error: () => Error, extend: () => number = () => 0): void {
    this.clear();
    this.#over_ms = performance.now() + time_ms;
    this.#error = error;
    this.#timer = setTimeout(() => {
      const more_ms = extend();
      if (more_ms > 0) this.set(more_ms, error, extend);
      else this.#late.reject(error());
    }, time_ms);
  }

  /** Throws when the time is over, even if the process was paused and the timer has not fired yet. */
  require(): void {
    if (performance.now() > this.#over_ms) throw this.#error();
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
