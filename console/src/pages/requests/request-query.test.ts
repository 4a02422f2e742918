import { describe, expect, test } from "bun:test";
import { isBackwards, isSearchable, readFilters, timeFields } from "./request-query.ts";

const NOW_MS = Date.parse("2026-11-21T12:34:56Z");

describe("the filters of an address", () => {
  test.each([
    { filters: {}, query: {} },
    { filters: { key: "key_1", model: "acme/swift" }, query: { key: "key_1", model: "acme/swift" } },
    { filters: { status: "failed", endpoint: "messages" }, query: { outcome: "failed", endpoint: "messages" } },
    { filters: { status: "refused" }, query: {} },
    { filters: { status: "nonsense", endpoint: "" }, query: {} },
    { filters: { q: " req_abcdef " }, query: { q: "req_abcdef" } },
    { filters: { q: "req_ab" }, query: {} },
    { filters: { time: "hour" }, query: { from: "2026-11-21T11:34:00.000Z" } },
    { filters: { time: "hour", from: "2026-01-01" }, query: { from: "2026-11-21T11:34:00.000Z" } },
    {
      filters: { time: "custom", from: "2026-11-01", to: "2026-11-30" },
      query: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
    },
    {
      filters: { time: "custom", from: "2026-11-21T14:05Z", to: "2026-11-21T14:05Z" },
      query: { from: "2026-11-21T14:05:00.000Z", to: "2026-11-21T14:06:00.000Z" },
    },
    { filters: { time: "custom", from: "2026-11-21T14:05Z", to: "2026-11-21T14:04Z" }, query: {} },
    { filters: { tag: "team=search" }, query: { tag: "team=search" } },
    { filters: { tag: "team=" }, query: { tag: "team=" } },
    { filters: { tag: "tea" }, query: {} },
    { filters: { time: "custom", to: "soon" }, query: {} },
  ])("$filters → $query", ({ filters, query }) => {
    expect(readFilters(filters, NOW_MS)).toEqual(query as ReturnType<typeof readFilters>);
  });
});

test.each([
  ["req_abcdef", true],
  ["my-own-id.1", true],
  ["abc", true],
  ["ab", false],
  ["req_abcde", false],
  ["with space", false],
])("%p can be looked for: %p", (q, searchable) => {
  expect(isSearchable(q)).toBe(searchable);
});

test("a range that ends before it begins is told from others", () => {
  const range = { from: "2026-11-21T14:05Z", to: "2026-11-21T14:04Z" };
  expect(isBackwards({ time: "custom", ...range })).toBe(true);
  expect(isBackwards({ time: "hour", ...range })).toBe(false);
  expect(isBackwards({ time: "custom", from: range.from, to: range.from })).toBe(false);
  expect(isBackwards({ time: "custom", from: range.from })).toBe(false);
});

describe("a range of one's own", () => {
  const zone = "Asia/Kathmandu";
  test.each([
    // Nepal is 5 hours and 45 minutes ahead: its 21st of November began on the 20th.
    [undefined, { from: "2026-11-20T18:15Z", to: "2026-11-21T18:14Z" }],
    ["hour", { from: "2026-11-21T11:34Z", to: "2026-11-21T12:34Z" }],
    ["custom", { from: "2026-11-20T18:15Z", to: "2026-11-21T18:14Z" }],
  ])("after %p begins as %p", (before, fields) => {
    expect(timeFields("custom", { before, now_ms: NOW_MS, zone })).toEqual(fields);
  });

  test("goes with the choice of another time", () => {
    expect(timeFields("week", { before: "custom", now_ms: NOW_MS, zone })).toEqual({ from: "", to: "" });
  });
});
