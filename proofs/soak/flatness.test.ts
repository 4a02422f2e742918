import { describe, expect, test } from "bun:test";
import { coursesOf } from "./flatness.ts";
import type { Sample } from "./sample.ts";

const MIB = 2 ** 20;

const SOUND: Sample = {
  ...{
    at_s: 0,
    calls: 100,
    calls_per_s: 20,
    memory_bytes: 120 * MIB,
    handles: 40,
    low_ms: 3,
    p50_ms: 4,
    p95_ms: 9,
    direct_ms: 2,
  },
  ...{ cpu_ms_per_call: 1, held_micro: 0, findings: 0 },
};

/** A run of 30 samples; `change` says how each differs from a sound one. */
function run(change: (index: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 30 }, (_, index) => ({ ...SOUND, at_s: index * 5, ...change(index) }));
}

const growing = (samples: readonly Sample[]): string[] =>
  coursesOf(samples)
    .filter(({ is_flat }) => !is_flat)
    .map(({ name }) => name);

describe("a run", () => {
  test("that stays as it is, is flat", () => {
    expect(coursesOf(run(() => ({}))).length).toBe(4);
    expect(growing(run(() => ({})))).toEqual([]);
  });

  test("whose heap grows in its first fifth and by collections' steps afterwards, is flat", () => {
    const sizes = (index: number) => ({ memory_bytes: (index < 6 ? 60 + index * 12 : 130 + (index % 4) * 8) * MIB });
    expect(growing(run(sizes))).toEqual([]);
  });

  test.each<[string, string, (index: number) => Partial<Sample>]>([
    ["memory leaks", "memory", (index) => ({ memory_bytes: (120 + index * 6) * MIB })],
    ["connections are not closed", "file handles", (index) => ({ handles: 40 + index * 3 })],
    ["calls cost more", "processor time", (index) => ({ cpu_ms_per_call: 1 + Math.max(0, index - 12) * 0.3 })],
    ["calls get slower", "latency", (index) => ({ low_ms: 3 + Math.max(0, index - 12) * 3 })],
  ])("in which %s, is not", (_, name, change) => {
    expect(growing(run(change))).toEqual([name]);
  });

  test("on a machine that has more and more else to do, is flat", () => {
    expect(
      growing(run((index) => ({ p50_ms: 4 + index * 9, p95_ms: 9 + index * 40, direct_ms: 2 + index * 4 }))),
    ).toEqual([]);
  });

  test("that is too short is not judged", () => {
    expect(coursesOf(run(() => ({})).slice(0, 6))).toEqual([]);
  });
});
