import { describe, expect, test } from "bun:test";
import { minuteText, readMinute, timeOfWall, wallTime } from "./wall-time.ts";

const at = (text: string) => Date.parse(text);

describe("what clocks show, and when they show it", () => {
  test.each([
    ["UTC", "2026-11-23T14:05", "2026-11-23T14:05Z"],
    ["Europe/Berlin", "2026-11-23T14:05", "2026-11-23T13:05Z"],
    ["Europe/Berlin", "2026-07-01T00:00", "2026-06-30T22:00Z"],
    ["Asia/Kathmandu", "2026-11-23T00:10", "2026-11-22T18:25Z"],
    ["America/New_York", "2026-12-31T23:59", "2027-01-01T04:59Z"],
    // An hour before and behind a change.
    ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59Z"],
    ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00Z"],
    // Shown twice: the first time is meant.
    ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30Z"],
  ])("%s %s is %s", (zone, shown, time) => {
    expect(timeOfWall(zone, shown)).toBe(at(time));
    expect(wallTime(zone, at(time))).toBe(shown);
  });

  test("the second of two equal hours is shown alike, and a time that is left out is as much later", () => {
    expect(wallTime("Europe/Berlin", at("2026-10-25T01:30Z"))).toBe("2026-10-25T02:30");
    expect(timeOfWall("Europe/Berlin", "2026-03-29T02:30")).toBe(at("2026-03-29T01:30Z"));
  });

  test.each(["", "14:05", "2026-11-23", "0002-11-23T14:05", "2026-13-01T00:00", "2026-11-23T14:05Z"])(
    "%j is no time yet",
    (text) => {
      expect(timeOfWall("Europe/Berlin", text)).toBeNull();
    },
  );
});

describe("the minutes of an address", () => {
  test("are written in UTC, and read as they were written", () => {
    expect(minuteText(at("2026-11-23T13:05:59.999Z"))).toBe("2026-11-23T13:05Z");
    expect(readMinute("2026-11-23T13:05Z")).toBe(at("2026-11-23T13:05Z"));
  });

  test.each([
    ["2026-11-23T14:05:59+01:00", false, "2026-11-23T13:05Z"],
    ["2026-11-23", false, "2026-11-23T00:00Z"],
    ["2026-11-23", true, "2026-11-23T23:59Z"],
    ["2026-11-23T13:05Z", true, "2026-11-23T13:05Z"],
  ])("%s (last: %p) is %s", (text, last, minute) => {
    expect(readMinute(text, last)).toBe(at(minute));
  });

  test.each([undefined, "", "soon", "2026-02-30", "2026-02-30T10:00Z"])("%p names none", (text) => {
    expect(readMinute(text)).toBeNull();
  });
});
