/**
 * Durations in buckets that grow by a seventh, from 1 ms to half an hour: recording a duration is an addition, and a
 * percentile is at most 8 % off.
 */
const BUCKETS_PER_DOUBLING = 5;
const BUCKETS = 105;

export class LatencyHistogram {
  readonly #counts = new Uint32Array(BUCKETS);

  record(duration_ms: number): void {
    const index = bucketOf(duration_ms);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  clear(): void {
    this.#counts.fill(0);
  }

  addTo(sum: Uint32Array): void {
    for (let index = 0; index < BUCKETS; index += 1) sum[index] = (sum[index] ?? 0) + (this.#counts[index] ?? 0);
  }
}

/** For each share, the duration that this share of all recorded durations do not exceed; null when there are none. */
export function percentiles(
  histograms: Iterable<LatencyHistogram>,
  shares: readonly number[],
): readonly (number | null)[] {
  const sum = new Uint32Array(BUCKETS);
  for (const histogram of histograms) histogram.addTo(sum);
  const total = sum.reduce((all, count) => all + count, 0);
  return shares.map((share) => (total === 0 ? null : middleOf(bucketAt(sum, Math.ceil(share * total)))));
}

function bucketOf(duration_ms: number): number {
  if (!(duration_ms > 1)) return 0;
  return Math.min(BUCKETS - 1, 1 + Math.floor(Math.log2(duration_ms) * BUCKETS_PER_DOUBLING));
}

/** The bucket of the n-th smallest duration. */
function bucketAt(counts: Uint32Array, rank: number): number {
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (seen >= rank) return index;
  }
  return counts.length - 1;
}

/** The geometric middle of a bucket, to about three digits. */
function middleOf(index: number): number {
  const middle_ms = index === 0 ? 1 : 2 ** ((index - 0.5) / BUCKETS_PER_DOUBLING);
  return middle_ms < 100 ? Math.round(middle_ms * 100) / 100 : Math.round(middle_ms);
}
