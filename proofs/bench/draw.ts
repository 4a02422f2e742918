/** Draws numbers from a seed: equal seeds draw alike, so that all candidates get the same load. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (Mulberry32). */
  part(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.part() * count);
  }
}

/**
 * The times of calls that come independently of each other (a Poisson process), in milliseconds from the first moment on, in
 * order.
 */
export function arrivalsMs(rate_per_s: number, calls: number, seed: number): Float64Array {
  const draw = new Draw(seed);
  const times_ms = new Float64Array(calls);
  let at_ms = 0;
  for (let index = 0; index < calls; index++) {
    at_ms += (-Math.log(1 - draw.part()) * 1000) / rate_per_s;
    times_ms[index] = at_ms;
  }
  return times_ms;
}
