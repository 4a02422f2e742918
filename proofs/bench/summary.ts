import { DELTAS, type Figures } from "./measure.ts";
import { median } from "./median.ts";

/** A candidate's figures, one number for each. */
export interface Summary {
  /** Processor time per unary call. */
  readonly unary_cpu_us: number;
  /** Processor time per unary call with a long history. */
  readonly long_cpu_us: number;
  /** Processor time per streaming call of 64 deltas, divided by 64, with all costs of the call. */
  readonly chunk_cpu_us: number;
  /** The cost of one more delta: (call with 64 deltas - call without deltas) / 64. */
  readonly marginal_chunk_cpu_us: number;
  readonly empty_stream_cpu_us: number;
  /** `chunk_cpu_us` of a translated stream; NaN for candidates that cannot translate. */
  readonly translated_chunk_cpu_us: number;
  readonly reads_per_stream: number;
  readonly unary_per_s: number;
  readonly added_p50_ms: number;
  readonly added_p99_ms: number;
  readonly rss_start_mb: number;
  readonly rss_end_mb: number;
  /** What of `rss_end_mb` is the process's own. */
  readonly own_end_mb: number;
}

/**
 * Medians of the rounds; of the added latencies the least, since a machine's disturbances only ever add. A megabyte is
 * a million bytes.
 */
export function summarise(figures: Figures): Summary {
  const stream = median(figures.stream_cpu_us);
  const empty = median(figures.empty_stream_cpu_us);
  return {
    unary_cpu_us: median(figures.unary_cpu_us),
    long_cpu_us: median(figures.long_cpu_us),
    chunk_cpu_us: stream / DELTAS,
    marginal_chunk_cpu_us: (stream - empty) / DELTAS,
    empty_stream_cpu_us: empty,
    translated_chunk_cpu_us: median(figures.translated_cpu_us) / DELTAS,
    reads_per_stream: median(figures.stream_reads),
    unary_per_s: median(figures.unary_per_s),
    added_p50_ms: Math.min(...figures.added_p50_ms),
    added_p99_ms: Math.min(...figures.added_p99_ms),
    rss_start_mb: figures.rss_start_bytes / 1e6,
    rss_end_mb: median(figures.rss_after_bytes) / 1e6,
    own_end_mb: median(figures.own_after_bytes) / 1e6,
  };
}
