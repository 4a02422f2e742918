import type { Summaries } from "./report.ts";

/** What the gateway promises about its cost. */
export const LIMITS = {
  /** Times the bare proxy's processor time per call. */
  unary_cpu_ratio: 2.0,
  /** Times the bare proxy's processor time per chunk. */
  chunk_cpu_ratio: 1.0,
  /** A translated stream's, times the relayed one's. */
  translated_ratio: 1.6,
  /** After 100,000 calls. */
  rss_mb: 150,
  added_p50_ms: 0.6,
} as const;

/** Every promise that these figures break, as sentences; empty when all are kept. */
export function brokenPromises({ gateway, bare }: Summaries): string[] {
  if (!gateway || !bare) return ["The gate compares the gateway with the bare proxy: both must be measured."];
  const promises = [
    {
      what: "processor time per unary call, times the bare proxy's",
      found: gateway.unary_cpu_us / bare.unary_cpu_us,
      limit: LIMITS.unary_cpu_ratio,
    },
    {
      what: "processor time per streamed chunk, times the bare proxy's",
      found: gateway.chunk_cpu_us / bare.chunk_cpu_us,
      limit: LIMITS.chunk_cpu_ratio,
    },
    {
      what: "processor time per translated chunk, times the relayed one's",
      found: gateway.translated_chunk_cpu_us / gateway.chunk_cpu_us,
      limit: LIMITS.translated_ratio,
    },
    { what: "resident memory after the calls, MB", found: gateway.rss_end_mb, limit: LIMITS.rss_mb },
    { what: "added latency at concurrency 1, p50, ms", found: gateway.added_p50_ms, limit: LIMITS.added_p50_ms },
  ];
  return promises
    .filter(({ found, limit }) => !(found <= limit))
    .map(({ what, found, limit }) => `${what}: ${found.toFixed(2)}, promised at most ${limit}`);
}
