import { expect, test } from "bun:test";
import type { UsageExploration } from "../../../../contract/usage.ts";
import { chartSeries, readMeasure } from "./measure.ts";

const totals = (cost_micro: number) => ({
  cost_micro,
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  request_count: 1,
  success_count: 1,
});

const usage: UsageExploration = {
  object: "usage.exploration",
  by: "day,model",
  tag: null,
  value: null,
  since: "2026-10-30",
  until: "2026-11-02",
  currency: "USD",
  groups: [
    { id: "acme/swift", name: null, others: false, ...totals(30) },
    { id: null, name: null, others: true, ...totals(5) },
  ],
  data: [
    { day: "2026-10-30", group: "acme/swift", others: false, ...totals(10) },
    { day: "2026-11-02", group: "acme/swift", others: false, ...totals(20) },
    { day: "2026-11-02", group: null, others: true, ...totals(5) },
  ],
  total: totals(35),
};

test("a chart has every day of its range, also days without use, and a series for each group", () => {
  expect(chartSeries(usage, "cost")).toEqual({
    days: ["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"],
    series: [
      { name: "acme/swift", filters: { model: "acme/swift" }, values: [10, 0, 0, 20] },
      { name: "others", values: [0, 0, 0, 5] },
    ],
  });
  expect(chartSeries(usage, "requests").series[0]?.values).toEqual([1, 0, 0, 1]);
});

test("an address that names no measure shows the spend", () => {
  expect(readMeasure(undefined)).toBe("cost");
  expect(readMeasure("nonsense")).toBe("cost");
  expect(readMeasure("tokens")).toBe("tokens");
});
