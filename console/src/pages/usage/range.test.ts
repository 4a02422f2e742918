import { describe, expect, test } from "bun:test";
import { rangeObjection, readRange } from "./range.ts";

const NOW_MS = Date.parse("2026-11-21T23:30:00Z");

describe("the days that an address asks for", () => {
  test.each([
    { asked: {}, range: { since: "2026-10-23", until: "2026-11-21" } },
    { asked: { range: "nonsense" }, range: { since: "2026-10-23", until: "2026-11-21" } },
    { asked: { range: "today" }, range: { since: "2026-11-21", until: "2026-11-21" } },
    { asked: { range: "yesterday" }, range: { since: "2026-11-20", until: "2026-11-20" } },
    { asked: { range: "7d", since: "2020-01-01" }, range: { since: "2026-11-15", until: "2026-11-21" } },
    { asked: { range: "90d" }, range: { since: "2026-08-24", until: "2026-11-21" } },
    { asked: { range: "custom", since: "2026-11-01" }, range: { since: "2026-11-01", until: "2026-11-21" } },
    { asked: { range: "custom", until: "2026-11-02" }, range: { since: "2026-11-02", until: "2026-11-02" } },
  ])("$asked → $range", ({ asked, range }) => {
    expect(readRange(asked, NOW_MS)).toEqual(range);
  });
});

test.each([
  [{ since: "2026-11-21", until: "2026-11-21" }, null],
  [{ since: "2025-11-21", until: "2026-11-21" }, null],
  [{ since: "2025-11-20", until: "2026-11-21" }, "at most 366"],
  [{ since: "2026-11-22", until: "2026-11-21" }, "after"],
  [{ since: "soon", until: "2026-11-21" }, "valid dates"],
])("%p can be asked for unless %p", (range, objection) => {
  if (objection === null) expect(rangeObjection(range)).toBeNull();
  else expect(rangeObjection(range)).toContain(objection);
});
