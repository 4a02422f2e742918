import { describe, expect, test } from "bun:test";
import { type Fields, readGrouping, readQuery } from "./traffic-query.ts";

/** In Berlin it is already the 22nd. */
const NOW_MS = Date.parse("2026-11-21T23:30:00Z");
const BERLIN = { now_ms: NOW_MS, zone: "Europe/Berlin", by: "model" } as const;

describe("the report that an address asks for", () => {
  const cases: readonly { fields: Fields; query: object }[] = [
    { fields: {}, query: { since: "2026-11-16", until: "2026-11-22", step: "day" } },
    {
      fields: { range: "24h" },
      query: { since: "2026-11-21T00:00:00.000Z", until: "2026-11-22T00:00:00.000Z", step: "hour" },
    },
    { fields: { range: "yesterday" }, query: { since: "2026-11-21", until: "2026-11-21", step: "hour" } },
    { fields: { range: "12m" }, query: { since: "2025-12-01", until: "2026-11-22", step: "month" } },
    {
      fields: { range: "custom", since: "2026-11-01", until: "2026-11-02" },
      query: { since: "2026-11-01", until: "2026-11-02", step: "hour" },
    },
    {
      fields: { range: "custom", since: "2026-01-01" },
      query: { since: "2026-01-01", until: "2026-11-22", step: "month" },
    },
    {
      fields: { range: "nonsense", status: "failed", vendor: "acme", route: "acme swift-1", model: "m", key: "key_1" },
      query: {
        ...{ since: "2026-11-16", until: "2026-11-22", step: "day", status: "failed", vendor: "acme" },
        ...{ route: "acme swift-1", model: "m", key: "key_1" },
      },
    },
    { fields: { status: "held", route: "acme" }, query: { since: "2026-11-16", until: "2026-11-22", step: "day" } },
  ];
  test.each(cases)("$fields → $query", ({ fields, query }) => {
    expect(readQuery(fields, BERLIN)).toEqual({ zone: "Europe/Berlin", by: "model", ...query });
  });
});

test("an address that names no grouping is by what the page shows first", () => {
  expect(readGrouping(undefined, "account")).toBe("account");
  expect(readGrouping("colour", "model")).toBe("model");
  expect(readGrouping("route", "account")).toBe("route");
});
