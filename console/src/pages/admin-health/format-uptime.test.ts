import { expect, test } from "bun:test";
import { formatUptime } from "./format-uptime.ts";

test.each([
  [0, "0 s"],
  [59, "59 s"],
  [60, "1 min"],
  [725, "12 min 5 s"],
  [3_600, "1 h"],
  [3_661, "1 h 1 min"],
  [273_600, "3 d 4 h"],
  [86_400 + 59, "1 d"],
])("%d seconds are %p", (seconds, text) => {
  expect(formatUptime(seconds)).toBe(text);
});
