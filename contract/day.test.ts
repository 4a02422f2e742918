import { expect, test } from "bun:test";
import { parseTime, startOfDay } from "./day.ts";

const DAYS: [text: string, begins: string | null][] = [
  ["2026-10-01", "2026-10-01T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2026-02-29", null],
  ["2026-02-30", null],
  ["2026-13-01", null],
  ["2026-1-1", null],
  ["yesterday", null],
  ["", null],
];

for (const [text, begins] of DAYS) {
  test(`the day '${text}' ${begins === null ? "does not exist" : `begins at ${begins}`}`, () => {
    const time_ms = startOfDay(text);
    expect(time_ms === null ? null : new Date(time_ms).toISOString()).toBe(begins);
    expect(parseTime(text)).toBe(time_ms);
  });
}

test("a time with an offset is read, and refused where the calendar or the clock has no such time", () => {
  expect(parseTime("2026-10-01T12:00:00Z")).toBe(Date.UTC(2026, 9, 1, 12));
  expect(parseTime("2026-10-01T12:00:00+02:00")).toBe(Date.UTC(2026, 9, 1, 10));
  expect(parseTime("2026-02-30T12:00:00Z")).toBeNull();
  expect(parseTime("2026-10-01T99:00:00Z")).toBeNull();
});
