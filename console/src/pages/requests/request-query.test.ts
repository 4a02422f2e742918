import { describe, expect, test } from "bun:test";
import { isSearchable, readFilters } from "./request-query.ts";

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
      query: { from: "2026-11-01", to: "2026-12-01" },
    },
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
