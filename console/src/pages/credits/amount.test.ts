import { expect, test } from "bun:test";
import fc from "fast-check";
import { amountText, formatAllDigits, parseAmount } from "./amount.ts";

test("an amount that is written as text is read back as the same amount", () => {
  const amounts = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });
  fc.assert(fc.property(amounts, (micro) => parseAmount(amountText(micro), true) === micro));
});

test.each([
  ["25", 25_000_000],
  [" 0.000001 ", 1],
  ["999999999.999999", 999_999_999_999_999],
  ["1,5", null],
  ["1.0000001", null],
  ["-1", null],
  ["", null],
  [".5", null],
])("'%s' is %p micro units", (text, micro) => {
  expect(parseAmount(text)).toBe(micro);
});

test("a correction may be negative", () => {
  expect(parseAmount("-1.5", true)).toBe(-1_500_000);
});

test.each([
  [9_995_769, "en-US", false, "$9.995769"],
  [25_000_000, "en-US", true, "+$25.00"],
  [-31, "en-US", true, "-$0.000031"],
  [999_999_999_999_999, "en-US", false, "$999,999,999.999999"],
])("%p micro units are shown with every digit", (micro, locale, signed, shown) => {
  expect(formatAllDigits(micro, "USD", { signed, locale })).toBe(shown);
});
