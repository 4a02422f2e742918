import type { Summaries } from "./report.ts";
import type { Summary } from "./summary.ts";

/** The limits of the gateway's cost. */
export const LIMITS = {
  /** Processor time per call, as a multiple of the bare proxy's. */
  unary_cpu_ratio: 2.0,
  /** The same as a multiple of the plain biller's: holds in its place where the machine's commits cost more than that (docs/design/bench.md). */
  unary_billed_ratio: 1.1,
  /** Processor time per chunk, as a multiple of the bare proxy's. */
  chunk_cpu_ratio: 1.0,
  /** Processor time of a translated stream, as a multiple of a relayed stream's. */
  translated_ratio: 1.6,
  /**
   * Resident memory after 100,000 calls that is the process's own: the pages of its executable are the kernel's to drop. Runs of one build
   * lie up to 10 MB apart, and the highest has to pass.
   */
  own_mb: 145,
  /** Beside what two plain commits of the embedded database take on the same disk (plain-commit.ts). */
  added_p50_ms: 0.6,
} as const;

/**
 * Every limit that the figures exceed, as a sentence; empty when all limits are kept. `commit_ms`: what a plain commit takes on
 * the disk.
 */
export function brokenPromises({ gateway, bare, billed }: Summaries, commit_ms: number): string[] {
  if (!gateway || !bare) return ["The gate compares the gateway with the bare proxy: both must be measured."];
  const promises = [
    {
      what: "processor time per unary call, times the bare proxy's",
      found: gateway.unary_cpu_us / bare.unary_cpu_us,
      limit: unaryLimit(bare, billed),
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
    { what: "own memory after the calls, MB", found: gateway.own_end_mb, limit: LIMITS.own_mb },
    {
      what: "added latency at concurrency 1, p50, beside two plain commits, ms",
      found: gateway.added_p50_ms - 2 * commit_ms,
      limit: LIMITS.added_p50_ms,
    },
  ];
  return promises
    .filter(({ found, limit }) => !(found <= limit))
    .map(({ what, found, limit }) => `${what}: ${found.toFixed(2)}, promised at most ${Number(limit.toFixed(2))}`);
}

/**
 * How many times a bare call an unary call may cost. Two durable commits are no part of a bare call, and on some machines they alone cost more
 * than it: there the plain biller of the same run, which does nothing else beside them, sets the limit.
 */
function unaryLimit(bare: Summary, billed: Summary | undefined): number {
  if (!billed) return LIMITS.unary_cpu_ratio;
  return Math.max(LIMITS.unary_cpu_ratio, (LIMITS.unary_billed_ratio * billed.unary_cpu_us) / bare.unary_cpu_us);
}
