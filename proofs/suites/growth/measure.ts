/**
 * Measures how the cost of some work grows with its size. The measure is the processor time of the thread, not the clock
 * on the wall: what other processes do delays it, and costs it nothing.
 */

/** Work of a size: what this function does is not measured, only the call of the function that it returns. */
export type MakeWork = (size: number) => () => unknown;

export interface Growth {
  readonly sizes: readonly number[];
  /** The least processor time of each size, in milliseconds. */
  readonly cost_ms: readonly number[];
  /** The power of the size by which the cost grows: about 1 for linear work, 2 for quadratic work; 0 for no cost. */
  readonly power: number;
}

/**
 * Work of twice the size, and of four times the size, that costs less than this is nothing to look at: at the sizes of
 * these tests, one step for each pair of items costs more. Some systems count processor time in steps of milliseconds.
 */
const NOTHING_MS = { twice: 10, four_times: 40 };
const LEAST_MS = 5;
/** Between linear work, with the noise of garbage collection and of caches that become too small, and quadratic. */
export const MOST_POWER = 1.6;
const TRIES = 3;

/**
 * The growth of work from `size` to twice and four times that. As long as it looks too steep, every size is tried again,
 * and the cheapest try counts: noise goes, what is in the work stays.
 */
export function growthOf(make: MakeWork, size: number): Growth {
  const sizes = [size, 2 * size, 4 * size];
  const twice = make(2 * size);
  // The first call also compiles the code, and is mostly quick enough all the same.
  const twice_ms = costOf(twice);
  if (twice_ms < NOTHING_MS.twice) return { sizes: [2 * size], cost_ms: [twice_ms], power: 0 };
  const work = [make(size), twice, make(4 * size)];
  let cost_ms = sizes.map(() => Number.POSITIVE_INFINITY);
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0) Bun.gc(true);
    cost_ms = cost_ms.map((least, index) => Math.min(least, costOf(work[index] as () => unknown)));
    if (powerOf(cost_ms) <= MOST_POWER) break;
  }
  return { sizes, cost_ms, power: powerOf(cost_ms) };
}

function powerOf([first = 0, , last = 0]: readonly number[]): number {
  if (last < NOTHING_MS.four_times) return 0;
  return Math.log(last / Math.max(first, LEAST_MS)) / Math.log(4);
}

function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  // A microsecond, so that costs can be divided.
  return (user + system + 1) / 1000;
}

/** A growth in words, for a test that fails. */
export function inWords({ sizes, cost_ms, power }: Growth): string {
  const costs = sizes.map((size, index) => `${size}: ${cost_ms[index]?.toFixed(1)} ms`).join(", ");
  return `${costs}; power ${power.toFixed(2)}`;
}
