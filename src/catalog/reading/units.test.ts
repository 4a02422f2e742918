import { describe, expect, test } from "bun:test";
import { parseDate, parseDuration, parseSize } from "./units.ts";

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["3s", 3_000],
    ["30m", 1_800_000],
    ["2h", 7_200_000],
    ["0s", 0],
    ["3 s", 3_000],
  ])("%s", (text, expected) => expect(parseDuration(text)).toBe(expected));

  test.each(["3", "s", "-3s", "1.5s", "3S", "3d", "3s 4ms", "", "toString", "1constructor", "999999999999h"])(
    "%j is not accepted",
    (text) => expect(parseDuration(text)).toBeNull(),
  );
});

describe("sizes", () => {
  test.each([
    ["4096", 4096],
    ["10B", 10],
    ["1kB", 1000],
    ["1KiB", 1024],
    ["32MiB", 33_554_432],
    ["1GiB", 1_073_741_824],
    ["5MB", 5_000_000],
  ])("%s", (text, expected) => expect(parseSize(text)).toBe(expected));

  test.each(["32mib", "-1MiB", "1.5MiB", "MiB", "1TB", ""])("%j is not accepted", (text) =>
    expect(parseSize(text)).toBeNull(),
  );
});

describe("dates", () => {
  test.each([
    ["2026-09-01", Date.UTC(2026, 8, 1)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2026-09-01T12:30:00Z", Date.UTC(2026, 8, 1, 12, 30)],
    ["2026-09-01T12:30:00+02:00", Date.UTC(2026, 8, 1, 10, 30)],
  ])("%s", (text, expected) => expect(parseDate(text)).toBe(expected));

  test.each(["2026-02-30", "2026-13-01", "2026-9-1", "01.09.2026", "today", "1788220800", "2026-09-01T25:00:00Z", ""])(
    "%j is not accepted",
    (text) => expect(parseDate(text)).toBeNull(),
  );
});
