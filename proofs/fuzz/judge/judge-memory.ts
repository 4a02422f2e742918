/** How much a gateway's memory may grow after its first batches: caches and heaps that are not yet as large as they get. */
const ALLOWED_GROWTH_BYTES = 400 * 1024 * 1024;
/** The first batches fill caches. */
const FIRST = 5;
/** Memory is at its floor only after a collection: the least of some batches is compared. */
const LAST = 8;

/**
 * Whether the memory of a gateway, measured after each batch, grows beyond the allowance: a sentence, or null. A generous one: a leak of
 * whole bodies is found in minutes, a leak of some bytes is not.
 */
export function growthOf(samples_bytes: readonly number[]): string | null {
  if (samples_bytes.length < FIRST + LAST) return null;
  const before_bytes = Math.max(...samples_bytes.slice(0, FIRST));
  const now_bytes = Math.min(...samples_bytes.slice(-LAST));
  if (now_bytes - before_bytes <= ALLOWED_GROWTH_BYTES) return null;
  const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  return `memory grew from ${megabytes(before_bytes)} MiB to ${megabytes(now_bytes)} MiB over ${samples_bytes.length} batches`;
}
