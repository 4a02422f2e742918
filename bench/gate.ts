import type { Summaries } from "./report.ts";

/** The limits of the gateway's cost. */
export const LIMITS = {
  /** Processor time per call, as a multiple of the plain biller's (docs/adr/0058). */
  unary_cpu_ratio: 0.9,
  /** Processor time per chunk, as a multiple of the bare proxy's. */
  chunk_cpu_ratio: 1.0,
  /** Processor time of a translated stream, as a multiple of a relayed stream's. */
  translated_ratio: 1.6,
  /** Resident memory after 100,000 calls. */
  rss_mb: 150,
  /** Latency added at concurrency 1, as a multiple of what the plain biller adds. */
  added_p50_ratio: 1.0,
} as const;

/** Every limit that the figures exceed, as a sentence; empty when all limits are kept. */
export function brokenPromises({ gateway, bare, billed }: Summaries): string[] {
  if (!gateway || !bare || !billed) {
    return ["The gate compares the gateway with the bare proxy and the plain biller: all three must be measured."];
  }
  const promises = [
    {
      what: "processor time per unary call, times the plain biller's",
      found: gateway.unary_cpu_us / billed.unary_cpu_us,
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
    {
      what: "added latency at concurrency 1, p50, times the plain biller's",
      found: gateway.added_p50_ms / billed.added_p50_ms,
      limit: LIMITS.added_p50_ratio,
    },
  ];
  return promises
    .filter(({ found, limit }) => !(found <= limit))
    .map(({ what, found, limit }) => `${what}: ${found.toFixed(2)}, promised at most ${limit}`);
}
