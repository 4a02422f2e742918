import { describe, expect, test } from "bun:test";
import { brokenPromises, LIMITS } from "./gate.ts";
import { type Figures, noFigures } from "./measure.ts";
import { median } from "./median.ts";
import { parseClock } from "./process-meter.ts";
import { type Summary, summarise } from "./summary.ts";

const figures: Figures = {
  ...noFigures(),
  rss_start_bytes: 50e6,
  rss_after_bytes: [80e6, 120e6, 90e6],
  own_after_bytes: [60e6, 75e6, 50e6],
  unary_cpu_us: [40, 90, 50],
  unary_per_s: [1000, 3000, 2000],
  long_cpu_us: [90, 80, 70],
  stream_cpu_us: [740, 740, 900],
  empty_stream_cpu_us: [100, 100, 500],
  translated_cpu_us: [800, 800, 900],
  stream_reads: [66, 66, 60],
  added_p50_ms: [0.5, 0.3, 0.9],
  added_p99_ms: [1, 2, 3],
};
const sound: Summary = summarise(figures);
const COMMIT_MS = 0.125;

describe("a summary", () => {
  test("has the medians of costs and the least added latency", () => {
    expect(sound).toMatchObject({
      unary_cpu_us: 50,
      long_cpu_us: 80,
      unary_per_s: 2000,
      added_p50_ms: 0.3,
      rss_end_mb: 90,
      own_end_mb: 60,
    });
  });

  test("has the cost of a chunk in all, and the cost of one more chunk", () => {
    expect(sound.chunk_cpu_us).toBeCloseTo(740 / 64);
    expect(sound.marginal_chunk_cpu_us).toBeCloseTo(640 / 64);
  });

  test("has the mean of the two middle values in an even number of rounds", () => {
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});

describe("the gate", () => {
  const at = (changes: Partial<Summary>): string[] =>
    brokenPromises({ gateway: { ...sound, ...changes }, bare: sound }, COMMIT_MS);

  test("passes a gateway that is exactly at its limits", () => {
    const limits = {
      unary_cpu_us: sound.unary_cpu_us * LIMITS.unary_cpu_ratio,
      chunk_cpu_us: sound.chunk_cpu_us * LIMITS.chunk_cpu_ratio,
      translated_chunk_cpu_us: sound.chunk_cpu_us * LIMITS.translated_ratio,
      own_end_mb: LIMITS.own_mb,
      added_p50_ms: LIMITS.added_p50_ms + 2 * COMMIT_MS,
    };
    expect(at(limits)).toEqual([]);
  });

  test.each([
    ["unary_cpu_us", 101],
    ["chunk_cpu_us", 12],
    ["translated_chunk_cpu_us", 18.6],
    ["own_end_mb", LIMITS.own_mb + 1],
    ["added_p50_ms", 0.86],
    ["unary_cpu_us", Number.NaN],
  ] as const)("stops one whose %s is %p", (measure, value) => {
    expect(at({ [measure]: value })).toHaveLength(1);
  });

  test.each([
    ["1.0 × the plain biller, which costs 3 bare calls", 150, 150, 0],
    ["1.1 × the plain biller, which costs 3 bare calls", 165, 150, 0],
    ["more than that", 166, 150, 1],
    ["2.0 × bare, though the plain biller costs less", 100, 60, 0],
    ["more than that, and 1.1 × a plain biller of 1.8 bare calls is less", 101, 90, 1],
  ])("lets an unary call cost what is larger: %s", (_, unary_cpu_us, billed_cpu_us, broken) => {
    const summaries = {
      gateway: { ...sound, unary_cpu_us },
      bare: sound,
      billed: { ...sound, unary_cpu_us: billed_cpu_us },
    };
    expect(brokenPromises(summaries, COMMIT_MS)).toHaveLength(broken);
  });

  test("names the limit that held", () => {
    const summaries = {
      gateway: { ...sound, unary_cpu_us: 200 },
      bare: sound,
      billed: { ...sound, unary_cpu_us: 151 },
    };
    expect(brokenPromises(summaries, COMMIT_MS)).toEqual([
      "processor time per unary call, times the bare proxy's: 4.00, promised at most 3.32",
    ]);
  });

  test("fails a run without the gateway or without its baseline", () => {
    expect(brokenPromises({ bare: sound }, COMMIT_MS)).toHaveLength(1);
    expect(brokenPromises({ gateway: sound }, COMMIT_MS)).toHaveLength(1);
  });
});

describe("a clock of ps", () => {
  test.each([
    ["0:01.50", 1500],
    ["00:02:03", 123_000],
    ["1-01:00:00", 90_000_000],
  ])("%s is read", (clock, ms) => {
    expect(parseClock(clock)).toBe(ms);
  });
});
