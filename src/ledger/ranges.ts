/** How often in a row the store may refuse groups before the search is given up: enough for several operations in 500. */
const REFUSALS_AT_MOST = 64;

/**
 * The search for operations that the store refuses: how many operations at the front of the queue are committed next, and
 * behind them. A group that is refused is divided, so one such operation among n costs about 2 log₂ n commits. The search is
 * bounded: a store that refuses everything is not asked for each operation alone.
 */
export class Ranges {
  #sizes: number[] = [];
  #refusals = 0;

  /** The size of the next group; null while nothing is looked for. */
  next(): number | null {
    return this.#sizes.pop() ?? null;
  }

  /** The next so many operations are committed alone. */
  alone(count: number): void {
    for (let each = 0; each < count; each += 1) this.#sizes.push(1);
  }

  /** Takes note of a refused group of this size. False when the search is given up. */
  refused(size: number): boolean {
    this.#refusals += 1;
    if (this.#refusals > REFUSALS_AT_MOST) return false;
    if (size > 1) this.#sizes.push(size - (size >> 1), size >> 1);
    return true;
  }

  /** Takes note of a group that was committed. */
  done(): void {
    if (this.#sizes.length === 0) this.#refusals = 0;
  }

  clear(): void {
    this.#sizes = [];
    this.#refusals = 0;
  }
}
