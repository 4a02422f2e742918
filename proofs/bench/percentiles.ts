export interface Percentiles {
  readonly p50_ms: number;
  readonly p99_ms: number;
}

export function percentiles(durations_ms: Float64Array): Percentiles {
  const sorted = durations_ms.toSorted();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}
