import { expect, test } from "bun:test";
import type { Traffic, TrafficFigures, TrafficRow } from "../../../../contract/traffic.ts";
import {
  eachSeries,
  groupName,
  measuresFor,
  previousPeriod,
  readMeasure,
  seriesOf,
  type TrafficMeasure,
} from "./traffic-figures.ts";

const HOURS = ["2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z"] as const;
const LATENCY = { mean: null, p50: null, p95: null };
const NOTHING: TrafficFigures = {
  ...{ requests: 0, answered: 0, failed: 0, left: 0, refused: 0, charge_micro: 0, loss_micro: 0 },
  ...{ margin_micro: null, margin_of: null, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
  ...{ total_tokens: 0, tokens_per_s: null, first_byte_ms: LATENCY, total_ms: LATENCY },
};

function row(hour: 0 | 1, group: string | null, has: Partial<TrafficRow>): TrafficRow {
  const latencies = { first_byte_mean_ms: null, total_mean_ms: null };
  return { ...NOTHING, ...latencies, start: HOURS[hour], group, others: group === null, ...has };
}

/** Two vendors, one of which is quicker by the hour, requests of none, and others. */
const TRAFFIC: Traffic = {
  ...{ object: "traffic", step: "hour", by: "vendor", zone: "UTC", since: HOURS[0], until: HOURS[1] },
  ...{ utc_days: false, off_hours: false, currency: "USD", counted_until: HOURS[1], behind: false, group_count: 5 },
  periods: HOURS.map((start, at) => ({ ...NOTHING, start, tokens_per_s: at === 0 ? 30 : null })),
  total: NOTHING,
  before: { ...NOTHING, since: HOURS[0], until: HOURS[0] },
  groups: ["acme", "other", "", null].map((id) => ({
    ...NOTHING,
    ...{ id, name: null, others: id === null, before: NOTHING },
  })),
  data: [
    row(0, "acme", { first_byte_mean_ms: 400, total_mean_ms: 900, tokens_per_s: 20, margin_micro: 50 }),
    row(0, "other", { first_byte_mean_ms: 150, total_mean_ms: 700, tokens_per_s: 80, margin_micro: -20 }),
    row(0, "", { refused: 1 }),
    row(1, "acme", { first_byte_mean_ms: 200, total_mean_ms: 500, tokens_per_s: 40 }),
    row(1, null, { first_byte_mean_ms: 1, total_mean_ms: 1, tokens_per_s: 1 }),
  ],
};

const each = (measure: TrafficMeasure, traffic = TRAFFIC) =>
  eachSeries(traffic, readMeasure(measure, measuresFor(true)));

test("latencies and tokens per second are shown over time for each group that was measured, with gaps", () => {
  expect(each("first_byte")).toEqual([
    { name: "acme", values: [400, 200] },
    { name: "other", values: [150, null] },
  ]);
  expect(each("total").map(({ values }) => values)).toEqual([
    [900, 500],
    [700, null],
  ]);
  expect(each("speed").map(({ values }) => values)).toEqual([
    [20, 40],
    [80, null],
  ]);
});

test("there is no second chart of what adds up, without groups, or of a single one", () => {
  expect(each("charge")).toEqual([]);
  expect(each("first_byte", { ...TRAFFIC, by: null })).toEqual([]);
  expect(each("first_byte", { ...TRAFFIC, groups: TRAFFIC.groups.slice(0, 1) })).toEqual([]);
});

test("a margin below zero is one in the chart, and a time without answers has no speed", () => {
  const shown = (measure: TrafficMeasure) => seriesOf(TRAFFIC, readMeasure(measure, measuresFor(true)));
  expect(shown("margin").map(({ values }) => values)).toEqual([
    [50, 0],
    [-20, 0],
  ]);
  expect(shown("speed")).toEqual([{ name: "all", values: [30, null] }]);
});

test("groups have names for people, refusals too", () => {
  const name = null;
  const others = false;
  expect(groupName({ id: "!model_not_found", name, others })).toBe("model_not_found, refused");
  expect(groupName({ id: "model_not_found", name, others })).toBe("model_not_found");
  expect(groupName({ id: "acct_1", name: "!loud@example.com", others })).toBe("!loud@example.com");
  expect(groupName({ id: "", name, others })).toBe("none");
  expect(groupName({ id: "", name, others }, "vendor")).toBe("no vendor");
  expect(groupName({ id: null, name, others: true })).toBe("others");
});

test.each([
  ["2026-11-27T10:00:00Z", "2026-11-28T10:00:00Z", "hour", "the previous 24 hours"],
  ["2026-11-21T00:00:00Z", "2026-11-28T00:00:00Z", "day", "the previous 7 days"],
  // With an hour less, where the clocks go forward.
  ["2026-03-26T23:00:00Z", "2026-04-02T22:00:00Z", "day", "the previous 7 days"],
  ["2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z", "day", "the previous day"],
] as const)("from %s to %s by the %s is compared with %s", (since, until, step, words) => {
  expect(previousPeriod({ since, until, step })).toBe(words);
});
