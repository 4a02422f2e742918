import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatPrice } from "../published/write-configuration.ts";
import { roundedDecimal, scaleDecimal } from "./decimal.ts";

describe("a decimal is scaled digit by digit", () => {
  test.each([
    ["3", 6, 3_000_000n],
    ["3.00", 6, 3_000_000n],
    [".5", 6, 500_000n],
    ["5.", 6, 5_000_000n],
    ["0.000001", 6, 1n],
    ["0.0000010", 6, 1n],
    ["1e-6", 6, 1n],
    ["1.5E+2", 6, 150_000_000n],
    ["100", 6, 100_000_000n],
    ["0", 6, 0n],
    ["0.000", 6, 0n],
    ["-3.5", 6, -3_500_000n],
    ["+2", 6, 2_000_000n],
    // 12 decimals convert a price per token to micro units per million tokens.
    ["3e-06", 12, 3_000_000n],
    ["0.000003", 12, 3_000_000n],
    ["1.25e-07", 12, 125_000n],
    ["2.34375e-7", 12, 234_375n],
    ["7.999999999999999e-07", 12, null],
  ])("%s × 10^%d", (text, scale, expected) => {
    const scaled = scaleDecimal(text, scale);
    expect(scaled).toEqual(expected === null ? { kind: "too-fine" } : { kind: "whole", value: expected });
  });

  test.each(["", ".", "abc", "1,5", "1 000", "0x10", "NaN", "Infinity", "1e", "--1", "1.2.3", "$3"])(
    "%j is none",
    (text) => {
      expect(scaleDecimal(text, 6)).toEqual({ kind: "not-a-decimal" });
    },
  );

  test("without rounding a number that is finer than the scale", () => {
    expect(scaleDecimal("0.0000001", 6)).toEqual({ kind: "too-fine" });
  });

  test("including whole numbers and powers of ten", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 12 }), (size, decimals) => {
        const digits = size.toString().padStart(decimals + 1, "0");
        const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
        expect(scaleDecimal(text, decimals)).toEqual({ kind: "whole", value: size });
        expect(scaleDecimal(`${size}e-${decimals}`, decimals)).toEqual({ kind: "whole", value: size });
      }),
    );
  });

  test("so that every price that is printed is read back as it was", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (price_micro_per_mtok) => {
        expect(scaleDecimal(formatPrice(price_micro_per_mtok), 6)).toEqual({
          kind: "whole",
          value: BigInt(price_micro_per_mtok),
        });
      }),
    );
  });
});

describe("a decimal that is finer than its scale", () => {
  test.each<[string, bigint | null]>([
    ["3.00", 3_000_000n],
    ["0.0833333333333333", 83_333n],
    ["0.18000000000000002", 180_000n],
    ["0.13999999999999999", 140_000n],
    ["0.0000005", 1n],
    ["0.00000049", 1n],
    ["0.0000014", 1n],
    ["0.0000015", 2n],
    ["8.333e-2", 83_330n],
    ["0", 0n],
    ["-0.0000001", null],
    ["cheap", null],
    ["1e-400", null],
  ])("%s is %p millionths, the nearest, and never nothing for something", (text, expected) => {
    expect(roundedDecimal(text, 6)).toBe(expected);
  });
});
