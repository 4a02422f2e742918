import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MS_PER_DAY } from "./clock.ts";
import { findTimeZone, timeZoneOf, UTC } from "./time-zone.ts";

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / MS_PER_DAY;

describe("the days of a time zone", () => {
  test.each([
    ["Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00", 25],
    ["America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", 23],
    ["Asia/Kathmandu", "2026-06-01", "2026-06-01T00:00:00+05:45", 24],
    ["America/St_Johns", "2026-11-01", "2026-11-01T00:00:00-02:30", 25],
    // Midnight is left out here, and comes twice there.
    ["America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00", 23],
    ["America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00", 25],
    ["Asia/Beirut", "2026-03-29", "2026-03-29T01:00:00+03:00", 23],
    ["Pacific/Auckland", "2026-04-05", "2026-04-05T00:00:00+13:00", 25],
  ] as const)("in %s %s begins at %s and has %d hours", (name, at, begins, hours) => {
    const zone = timeZoneOf(name);
    const start_ms = zone.startOf(day(at));
    expect(start_ms).toBe(Date.parse(begins));
    expect(zone.write(start_ms)).toBe(begins);
    expect(zone.dayAt(start_ms)).toBe(day(at));
    expect(zone.dayAt(start_ms - 1)).toBe(day(at) - 1);
    expect(zone.startOf(day(at) + 1) - start_ms).toBe(hours * 3_600_000);
  });

  test("follow each other without a gap, wherever and whenever", () => {
    const names = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const times = fc.integer({ min: Date.parse("2015-01-01"), max: Date.parse("2035-01-01") });
    fc.assert(
      fc.property(names, times, (name, time_ms) => {
        const zone = timeZoneOf(name);
        const today = zone.dayAt(time_ms);
        expect(zone.startOf(today)).toBeLessThanOrEqual(time_ms);
        expect(zone.startOf(today + 1)).toBeGreaterThan(time_ms);
        expect(Date.parse(zone.write(time_ms))).toBe(Math.floor(time_ms / 1000) * 1000);
      }),
      { numRuns: 300 },
    );
  });

  test("are UTC's where nobody has named a zone, or one that does not exist", () => {
    expect(timeZoneOf(null)).toBe(UTC);
    expect(timeZoneOf("Mars/Olympus")).toBe(UTC);
    expect(findTimeZone("Mars/Olympus")).toBeNull();
    expect(UTC.write(Date.parse("2026-12-01T00:00:00Z"))).toBe("2026-12-01T00:00:00Z");
  });
});
