import { expect, test } from "bun:test";
import { formatCosts } from "./run-cost.ts";

test("costs are listed by processor time, the largest first, with their sum", () => {
  const text = formatCosts([
    { paths: ["src/a.test.ts", "src/b.test.ts", "src/c.test.ts"], duration_ms: 2000, cpu_ms: 1540 },
    { paths: ["suites/d.test.ts"], duration_ms: 60_000, cpu_ms: 12_300 },
  ]);
  expect(text.split("\n")).toEqual([
    "processor time, of as much by the clock:",
    "  12.3 s of   60.0 s  suites/d.test.ts",
    "   1.5 s of    2.0 s  src/a.test.ts and 2 more",
    "  13.8 s in 2 processes",
  ]);
});
