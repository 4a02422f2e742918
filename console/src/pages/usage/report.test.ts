import { expect, test } from "bun:test";
import type { ExploreBy, UsageExploration } from "../../../../contract/usage.ts";
import { groupingFields, groupingLabel, partsOf, readGrouping, reportRows, reportSeries, reportTag } from "./report.ts";

const totals = (cost_micro: number) => ({
  cost_micro,
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  request_count: 1,
  success_count: 1,
});

function report(by: ExploreBy, fields: Partial<UsageExploration>): UsageExploration {
  const range = { since: "2026-11-01", until: "2026-11-03", currency: "USD" };
  return {
    object: "usage.exploration",
    by,
    tag: null,
    value: null,
    ...range,
    groups: [],
    data: [],
    total: totals(0),
    ...fields,
  };
}

const BY_KEY = report("day,key", {
  groups: [
    { id: "key_aaaa", name: "CI", others: false, ...totals(3) },
    { id: "key_bbbb", name: "CI", others: false, ...totals(2) },
    { id: "key_cccc", name: "", others: false, ...totals(1) },
    { id: null, name: null, others: true, ...totals(1) },
  ],
  data: [
    { day: "2026-11-01", group: "key_aaaa", others: false, ...totals(3) },
    { day: "2026-11-03", group: "key_bbbb", others: false, ...totals(2) },
    { day: "2026-11-03", group: null, others: true, ...totals(1) },
  ],
});

test("keys of the same name are distinguished by the end of their id, and what used nothing is in no chart", () => {
  expect(reportSeries(BY_KEY, "cost")).toEqual({
    days: ["2026-11-01", "2026-11-02", "2026-11-03"],
    series: [
      { name: "CI (…aaaa)", filters: { key: "key_aaaa" }, values: [3, 0, 0] },
      { name: "CI (…bbbb)", filters: { key: "key_bbbb" }, values: [0, 0, 2] },
      { name: "others", values: [0, 0, 1] },
    ],
  });
  expect(reportRows(BY_KEY).map(({ day, label, id }) => [day, label, id])).toEqual([
    ["2026-11-01", "CI (…aaaa)", "key_aaaa"],
    ["2026-11-03", "CI (…bbbb)", "key_bbbb"],
    ["2026-11-03", "others", null],
  ]);
});

test("a report by day alone is a single series over all days of its range", () => {
  const by_day = report("day", { data: [{ day: "2026-11-02", group: null, others: false, ...totals(7) }] });
  expect(reportSeries(by_day, "cost").series).toEqual([{ name: "all", values: [0, 7, 0] }]);
});

test("an address that names no grouping is by day and model", () => {
  expect(readGrouping(undefined)).toBe("day,model");
  expect(readGrouping("hour")).toBe("day,model");
  expect(readGrouping("key")).toBe("key");
  expect(readGrouping("day,tag")).toBe("day,model");
  expect(readGrouping("day,tag", "team")).toBe("day,tag");
});

test("a choice of a grouping is fields of the address, also by a tag", () => {
  expect(groupingFields("day,model")).toEqual({ by: undefined, tag: undefined });
  expect(groupingFields("key")).toEqual({ by: "key", tag: undefined });
  expect(groupingFields("day,tag:team")).toEqual({ by: "day,tag", tag: "team" });
});

test("a report knows one tag: that of its groups, that of a filter, or the same of both", () => {
  expect(reportTag("day,tag", { tag: "team" })).toEqual({ tag: "team" });
  expect(reportTag("model", { tag: "team" })).toEqual({});
  expect(reportTag("model", { tagged: "team=search" })).toEqual({ tag: "team", value: "search" });
  expect(reportTag("tag", { tag: "team", tagged: "team=" })).toEqual({ tag: "team", value: "" });
  expect(reportTag("tag", { tag: "env", tagged: "team=search" })).toBeNull();
  expect(reportTag("key", { tagged: "tea" })).toEqual({});
});

test("a tag's value leads to what it is made of, whole or by day as before", () => {
  expect(partsOf("a=b", { by: "tag", tag: "team" })).toMatchObject({ tagged: "team=a=b", by: "model", tag: undefined });
  expect(partsOf("", { by: "day,tag", tag: "team" })).toMatchObject({ tagged: "team=", by: undefined });
});

test("a report is named after its groups, also where it has one value of a tag alone", () => {
  expect(groupingLabel({ by: "day,tag", tag: "team" })).toBe("day and tag: team");
  expect(groupingLabel({ by: "model", tag: "team" })).toBe("model");
});
