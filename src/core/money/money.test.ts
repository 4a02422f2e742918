import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  add,
  divideRoundingUp,
  formatAmount,
  MAX_MICRO,
  max,
  micro,
  min,
  parseAmount,
  subtract,
  toJsonNumber,
  ZERO,
} from "./money.ts";

/** Amounts that a person can type: up to nine digits before the point, six after it. */
const typeable = fc.bigInt({ min: 0n, max: 999_999_999_999_999n }).map(micro);
const anyAmount = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(micro);

describe("an amount as a person writes it", () => {
  test.each([
    ["0", 0n],
    ["25", 25_000_000n],
    ["25.5", 25_500_000n],
    ["0.000001", 1n],
    ["0.1", 100_000n],
    ["0.3", 300_000n],
    ["007.10", 7_100_000n],
    ["999999999.999999", 999_999_999_999_999n],
  ])("%s is read to the last micro", (text, expected) => {
    expect(parseAmount(text)).toBe(micro(expected));
  });

  test.each([
    "",
    " ",
    "-1",
    "+1",
    "1.",
    ".5",
    "1,5",
    "1e3",
    "0x10",
    "1.0000001",
    "1000000000",
    " 1",
    "1\n",
    "١",
    "NaN",
  ])("%j is refused, not guessed", (text) => {
    expect(parseAmount(text)).toBeNull();
  });

  test("comes back unchanged from writing and reading", () => {
    fc.assert(fc.property(typeable, (amount) => parseAmount(formatAmount(amount)) === amount));
  });

  test.each([
    [0n, "0.00"],
    [25_000_000n, "25.00"],
    [1n, "0.000001"],
    [1_230_000n, "1.23"],
    [1_234_500n, "1.2345"],
    [-1n, "-0.000001"],
    [-2_500_000n, "-2.50"],
  ])("%d micro is written %s", (amount, expected) => {
    expect(formatAmount(micro(amount))).toBe(expected);
  });

  test("is always written with two to six decimals, exactly", () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        const match = /^(-?)(\d+)\.(\d{2,6})$/.exec(formatAmount(amount));
        expect(match).not.toBeNull();
        const [, sign, whole = "", decimals = ""] = match ?? [];
        const size = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, "0"));
        expect(sign === "-" ? -size : size).toBe(amount);
      }),
    );
  });
});

describe("an amount in the code", () => {
  test("cannot be made from a fraction", () => {
    fc.assert(
      fc.property(
        fc.double().filter((number) => !Number.isInteger(number)),
        (number) => {
          expect(() => micro(number)).toThrow(RangeError);
        },
      ),
    );
  });

  test("adds and subtracts without loss, far beyond what a float holds", () => {
    fc.assert(fc.property(anyAmount, anyAmount, (a, b) => subtract(add(a, b), b) === a && add(a, b) === add(b, a)));
    expect(add(micro(2n ** 60n), micro(1n))).toBe(micro(2n ** 60n + 1n));
  });

  test("has a minimum and a maximum", () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, (a, b) => min(a, b) <= max(a, b) && add(min(a, b), max(a, b)) === add(a, b)),
    );
  });
});

describe("an amount in JSON", () => {
  const exact = fc.bigInt({ min: -BigInt(MAX_MICRO), max: BigInt(MAX_MICRO) }).map(micro);

  test("is the same number after JSON is written and parsed", () => {
    fc.assert(fc.property(exact, (amount) => BigInt(JSON.parse(JSON.stringify(toJsonNumber(amount)))) === amount));
    expect(toJsonNumber(ZERO)).toBe(0);
  });

  test("is refused when a JSON number could not hold it exactly", () => {
    expect(toJsonNumber(MAX_MICRO)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => toJsonNumber(add(MAX_MICRO, micro(1)))).toThrow(RangeError);
    expect(() => toJsonNumber(subtract(subtract(ZERO, MAX_MICRO), micro(1)))).toThrow(RangeError);
  });
});

describe("division that rounds up", () => {
  test("rounds up by less than one", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 90n }),
        fc.bigInt({ min: 1n, max: 2n ** 40n }),
        (dividend, divisor) => {
          const rest = divideRoundingUp(dividend, divisor) * divisor - dividend;
          return rest >= 0n && rest < divisor;
        },
      ),
    );
  });
});
