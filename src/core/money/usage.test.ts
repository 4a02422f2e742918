import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isPlausibleCount, NO_USAGE, totalInput } from "./usage.ts";

const count = fc.integer({ min: 0, max: 2 ** 31 });

describe("the input of a usage", () => {
  test("is the sum of its three disjoint classes, whatever the output", () => {
    fc.assert(
      fc.property(count, count, count, count, (input_tokens, cache_read_tokens, cache_write_tokens, output_tokens) => {
        const usage = { ...NO_USAGE, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens };
        return totalInput(usage) === input_tokens + cache_read_tokens + cache_write_tokens;
      }),
    );
    expect(totalInput(NO_USAGE)).toBe(0);
  });
});

describe("a vendor's count", () => {
  test.each([0, 1, 2 ** 31])("%d is believed", (value) => {
    expect(isPlausibleCount(value)).toBe(true);
  });

  test.each<[string, unknown]>([
    ["a negative count", -1],
    ["a fraction", 0.5],
    ["a count above 2³¹", 2 ** 31 + 1],
    ["an absurd count", 1e18],
    ["no number", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a string", "5"],
    ["a bigint", 5n],
    ["null", null],
    ["undefined", undefined],
    ["an array", [5]],
    ["a boolean", true],
  ])("%s is not believed", (_what, value) => {
    expect(isPlausibleCount(value)).toBe(false);
  });

  test("is believed exactly when it is a whole number from 0 to 2³¹", () => {
    fc.assert(fc.property(count, (value) => isPlausibleCount(value)));
    fc.assert(
      fc.property(
        fc.double().filter((value) => !Number.isInteger(value)),
        (value) => !isPlausibleCount(value),
      ),
    );
  });
});
