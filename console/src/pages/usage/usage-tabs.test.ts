import { expect, test } from "bun:test";
import { searchOf } from "./usage-tabs.ts";

/** What is set, as an address has it. */
function set(search: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

test.each([
  ["the days that were shown stay", {}, { view: "traffic", range: "30d", by: "model" }],
  ["so do a key and a model", { key: "k1", model: "a/b" }, { key: "k1", model: "a/b" }],
  ["and days of one's own", { range: "custom", since: "2026-11-01", until: "2026-11-03" }, { since: "2026-11-01" }],
  ["keys stay keys", { by: "day,key" }, { by: "key" }],
] as const)("from billing to traffic: %s", (_, search, expected) => {
  expect(set(searchOf("traffic", search, false))).toMatchObject(expected);
});

test.each([
  ["the days that were shown stay", {}, { range: "7d" }],
  ["hours are not billed", { range: "24h", by: "key" }, { by: "day,key" }],
  [
    "vendors and statuses are not billed",
    { range: "30d", vendor: "acme", status: "failed", by: "error" },
    { range: "30d" },
  ],
] as const)("from traffic to billing: %s", (_, search, expected) => {
  expect(set(searchOf("bill", search, false))).toEqual(expected);
});

test("what only billing has does not go along, and all accounts begin with traffic", () => {
  const search = {
    account: "all",
    view: "bill",
    range: "today",
    by: "tag",
    tag: "team",
    tagged: "team=a",
    project: "p",
  };
  expect(set(searchOf("traffic", search, true))).toEqual({ account: "all" });
  expect(set(searchOf("bill", { account: "all", model: "a/b" }, true))).toEqual({
    ...{ account: "all", view: "bill" },
    ...{ model: "a/b", range: "7d" },
  });
});
