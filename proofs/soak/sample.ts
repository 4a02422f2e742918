/** What is measured at the end of a period, when the gateway is at rest. */
export interface Sample {
  /** Seconds since the first call. */
  readonly at_s: number;
  readonly calls: number;
  readonly calls_per_s: number;
  /** Resident memory of all of the gateway's processes. */
  readonly memory_bytes: number;
  /** Open file handles of all of the gateway's processes. */
  readonly handles: number;
  /** Milliseconds that the probe's calls took: a tenth of them, half, and 95 of 100, took no longer. */
  readonly low_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  /** The median of the same call at the vendor itself: what the machine does besides is in both. */
  readonly direct_ms: number;
  /** Processor time of the gateway's processes for each call. */
  readonly cpu_ms_per_call: number;
  /** Money that is still set aside at rest, in micro units. */
  readonly held_micro: number;
  /** All findings so far. */
  readonly findings: number;
}

/** The value below which a share of the values lies. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
