import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayOf, formatDay, parseDay, windowEnd, windowStart } from "./windows.ts";

const day = fc.integer({ min: 0, max: 60_000 });
const WINDOWS = ["day", "week", "month"] as const;

describe("a window", () => {
  const cases = [
    { at: "2026-11-21T23:59:59.999Z", day: "2026-11-21", week: "2026-11-16", month: "2026-11-01" },
    { at: "2026-11-23T00:00:00.000Z", day: "2026-11-23", week: "2026-11-23", month: "2026-11-01" },
    { at: "2026-03-01T12:00:00.000Z", day: "2026-03-01", week: "2026-02-23", month: "2026-03-01" },
    { at: "2024-02-29T00:00:00.000Z", day: "2024-02-29", week: "2024-02-26", month: "2024-02-01" },
    { at: "2027-01-01T00:00:00.000Z", day: "2027-01-01", week: "2026-12-28", month: "2027-01-01" },
    { at: "1970-01-01T00:00:00.000Z", day: "1970-01-01", week: "1969-12-29", month: "1970-01-01" },
  ];
  for (const { at, ...starts } of cases) {
    test(`that ${at} is in begins at midnight UTC, on Monday, on the first`, () => {
      const today = dayOf(Date.parse(at));
      for (const window of WINDOWS) expect(formatDay(windowStart(window, today))).toBe(starts[window]);
    });
  }

  test("ends where the next one begins, but for the one that never ends", () => {
    fc.assert(
      fc.property(day, fc.constantFrom(...WINDOWS), (today, window) => {
        const end = windowEnd(window, today) ?? 0;
        expect(end).toBeGreaterThan(today);
        expect(windowStart(window, end)).toBe(end);
        expect(windowStart(window, end - 1)).toBe(windowStart(window, today));
      }),
    );
    expect(windowEnd("once", 20_000)).toBeNull();
  });

  test("has the day in it, and the same start for each of its days", () => {
    fc.assert(
      fc.property(day, fc.constantFrom(...WINDOWS), (today, window) => {
        const start = windowStart(window, today);
        expect(start).toBeLessThanOrEqual(today);
        expect(today - start).toBeLessThan({ day: 1, week: 7, month: 31 }[window]);
        expect(windowStart(window, start)).toBe(start);
        if (start < today) expect(windowStart(window, today - 1)).toBe(start);
      }),
    );
  });
});

describe("a day", () => {
  test("is written and read alike", () => {
    fc.assert(fc.property(day, (today) => parseDay(formatDay(today)) === today));
  });

  test("is read only where it is a day of the calendar", () => {
    for (const text of ["2026-02-29", "2026-13-01", "2026-1-1", "26-01-01", "2026-01-01T00:00", "", "yesterday"]) {
      expect(parseDay(text)).toBeNull();
    }
  });
});
