import { describe, expect, test } from "bun:test";
import {
  decimalsOf,
  exactMoney,
  formatAgo,
  formatAllDigits,
  formatClock,
  formatColumnDuration,
  formatColumnMoney,
  formatCompact,
  formatDuration,
  formatExact,
  formatMoney,
  formatShare,
  formatShortDay,
  formatSince,
  moneyDecimals,
} from "./format.ts";

describe("an amount", () => {
  test.each([
    [0, "$0.00"],
    [1, "$0.000001"],
    [1_518, "$0.001518"],
    [25_400, "$0.0254"],
    [999_999, "$1.00"],
    [12_345_678, "$12.35"],
    [-2_500_000, "-$2.50"],
    [1_234_567_890_000, "$1,234,567.89"],
  ])("of %d micro units is shown as %s", (micro, text) => {
    expect(formatMoney(micro, "USD", "en-US")).toBe(text);
  });

  test("is written in the reader's locale", () => {
    expect(formatMoney(1_234_500_000, "EUR", "de-DE")).toBe("1.234,50\u00a0€");
  });

  test.each([
    [0, "0.000000 USD · 0 micro"],
    [7, "0.000007 USD · 7 micro"],
    [12_345_678, "12.345678 USD · 12,345,678 micro"],
    [-1_000_001, "-1.000001 USD · -1,000,001 micro"],
    [9_007_199_254_740_991, "9,007,199,254.740991 USD · 9,007,199,254,740,991 micro"],
  ])("of %d micro units is exact to the last unit: %s", (micro, text) => {
    expect(exactMoney(micro, "USD", "en-US")).toBe(text);
  });

  test.each([
    [9_995_769, {}, "$9.995769"],
    [15_000_000, {}, "$15.00"],
    [3_125_000, {}, "$3.125"],
    [25_000_000, { signed: true }, "+$25.00"],
    [-31, { signed: true }, "-$0.000031"],
    [0, { aligned: true }, "$0.000000"],
    [-46, { aligned: true }, "-$0.000046"],
    [1_234_567_890, { aligned: true }, "$1,234.567890"],
    [9_007_199_254_740_991, { aligned: true }, "$9,007,199,254.740991"],
  ])("of %d micro units with %p is shown with every digit: %s", (micro, options, text) => {
    expect(formatAllDigits(micro, "USD", { ...options, locale: "en-US" })).toBe(text);
  });
});

test.each([
  ["2.4", 7, "$0.0000024"],
  ["33.6", 7, "$0.0000336"],
  ["15", 7, "$0.0000150"],
  ["15", 6, "$0.000015"],
  ["0.000001", 12, "$0.000000000001"],
  ["1234567890.5", 7, "$1,234.5678905"],
])("an amount of %s micro units is shown exactly", (exact_micro, decimals, text) => {
  expect(decimalsOf([exact_micro, "0"])).toBeLessThanOrEqual(decimals);
  expect(formatExact(exact_micro, "USD", decimals, "en-US")).toBe(text);
});

test.each([
  [9_999, "9,999"],
  [12_345, "12.3K"],
  [4_200_000, "4.2M"],
])("a count of %d is short where it is long: %s", (count, text) => {
  expect(formatCompact(count, "en-US")).toBe(text);
});

test.each([
  [0.4, "0 ms"],
  [840, "840 ms"],
  [2_340, "2.3 s"],
  [60_000, "1 min"],
  [250_000, "4 min 10 s"],
])("%d ms are shown as %s", (duration_ms, text) => {
  expect(formatDuration(duration_ms, "en-US")).toBe(text);
});

const now_ms = Date.UTC(2026, 10, 21, 12);
test.each([
  [0, "now"],
  [-12, "12 seconds ago"],
  [-90, "1 minute ago"],
  [-2 * 3600, "2 hours ago"],
  [-86_400, "yesterday"],
  [3 * 86_400, "in 3 days"],
  [-45 * 86_400, "Oct 7, 2026"],
])("%d seconds from now are shown as %s", (seconds, text) => {
  expect(formatAgo(now_ms + seconds * 1000, now_ms, "en-US")).toBe(text);
});

test("shares and days are short", () => {
  expect([formatShare(0.5, "en-US"), formatShare(0.034, "en-US"), formatShare(0, "en-US")]).toEqual([
    "50%",
    "3.4%",
    "0%",
  ]);
  expect(formatShortDay("2026-11-01", "en-US")).toBe("Nov 1");
  const at_ms = Date.parse("2026-11-23T14:05:31Z");
  expect(formatClock(at_ms, at_ms, "en-US")).toMatch(/^Nov 2[234], \d+:\d\d:31\s[AP]M$/);
  expect(formatClock(at_ms, at_ms + 86_400_000 * 365, "en-US")).toMatch(/^Nov 2[234], 2026, \d+:\d\d:31\s[AP]M$/);
});

test("what has happened is never in the future, however far ahead the clock was that saw it", () => {
  const now_ms = Date.UTC(2026, 6, 1);
  expect(formatSince(now_ms + 2000, now_ms, "en-US")).toBe("now");
  expect(formatSince(now_ms + 90_000, now_ms, "en-US")).toBe("now");
  expect(formatSince(now_ms - 2000, now_ms, "en-US")).toBe("2 seconds ago");
});

describe("the amounts of a column have the same decimals", () => {
  test.each([
    [[], 2],
    [[0, null], 2],
    [[3_000_000, 15_000_000, 250_000], 2],
    [[473_000, 675_700, 1_650_000, 1_120], 4],
    [[2, 34], 6],
    [[120_000_000, 31], 2],
  ])("of %j they are %d", (column, decimals) => {
    expect(moneyDecimals(column)).toBe(decimals);
  });

  test.each([
    [473_000, 4, "$0.4730"],
    [1_650_000, 4, "$1.6500"],
    [31, 2, "<$0.01"],
    [-31, 2, ">-$0.01"],
    [0, 2, "$0.00"],
    [987_654_321_123_456, 2, "$987,654,321.12"],
  ])("%d micro units with %d decimals are %s", (micro, decimals, text) => {
    expect(formatColumnMoney(micro, "USD", decimals, "en-US")).toBe(text);
  });
});

test.each([
  [40, 840, "40 ms"],
  [840, 2300, "0.84 s"],
  [840, 250_000, "0.8 s"],
])("%d ms in a column whose longest takes %d ms is %s", (duration_ms, longest_ms, text) => {
  expect(formatColumnDuration(duration_ms, longest_ms, "en-US")).toBe(text);
});
