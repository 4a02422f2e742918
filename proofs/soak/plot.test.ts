import { expect, test } from "bun:test";
import { plot, roundUp } from "./plot.ts";
import type { Sample } from "./sample.ts";

const samples: Sample[] = Array.from({ length: 9 }, (_, index) => ({
  ...{ at_s: index * 30, calls: 100, calls_per_s: 20, memory_bytes: 120 * 2 ** 20, handles: 40 + index },
  ...{
    low_ms: 3,
    p50_ms: index === 4 ? Number.NaN : 4,
    p95_ms: 9,
    direct_ms: 2,
    cpu_ms_per_call: 1.2,
    held_micro: 0,
    findings: 0,
  },
}));

test("a plot is one whole document, in which every number is a number", () => {
  const svg = plot({ title: "Soak", subtitle: 'a < b & "c"' }, samples);
  expect(svg).toStartWith("<svg ");
  expect(svg.trimEnd()).toEndWith("</svg>");
  expect(svg).toContain("a &lt; b &amp;");
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  // Ten lines in six panels; a sample without latencies is left out of its line.
  const lines = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = ""]) => points.split(" ").length);
  expect(lines).toEqual([9, 9, 9, 8, 9, 9, 9, 9, 9, 9]);
});

test("a plot of nothing is a plot", () => {
  expect(plot({ title: "Soak", subtitle: "" }, [])).not.toMatch(/NaN|Infinity/);
});

test.each([
  [0, 1],
  [0.013, 0.02],
  [1, 1],
  [7, 10],
  [130, 200],
  [240, 250],
])("the axis of values up to %d ends at %d", (value, end) => {
  expect(roundUp(value)).toBeCloseTo(end, 9);
});
