import { expect, test } from "bun:test";
import { exactAmount, exactPrice } from "./exact-amount.ts";

test.each([
  [0, "$0.000000"],
  [1, "$0.000001"],
  [-46, "-$0.000046"],
  [1_234_567_890, "$1,234.567890"],
  [9_007_199_254_740_991, "$9,007,199,254.740991"],
])("%d micro units are %s", (micro, text) => {
  expect(exactAmount(micro, "USD", "en-US")).toBe(text);
});

test("the locale decides the format", () => {
  expect(exactAmount(1_234_567_890, "EUR", "de-DE")).toBe("1.234,567890\u00a0€");
});

test.each([
  [15_000_000, "$15.00"],
  [3_125_000, "$3.125"],
  [100_001, "$0.100001"],
])("a price of %d micro units is %s", (micro, text) => {
  expect(exactPrice(micro, "USD", "en-US")).toBe(text);
});
