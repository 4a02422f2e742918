import { describe, expect, test } from "bun:test";
import { readAmount } from "./amount.ts";

describe("a typed amount", () => {
  test.each([
    ["25", "25", 25_000_000],
    [" 0.000001 ", "0.000001", 1],
    ["1,50", "1.50", 1_500_000],
    ["-3.2", "-3.2", -3_200_000],
    ["−3.2", "-3.2", -3_200_000],
    ["-0", "-0", 0],
    ["999999999.999999", "999999999.999999", 999_999_999_999_999],
  ])("%p is %p, which is %d micro units", (typed, decimal, micro) => {
    expect(readAmount(typed)).toEqual({ decimal, micro });
  });

  test.each(["", "-", "1.", ".5", "1.0000001", "1 000", "1,000.50", "ten", "1e3", "1234567890"])(
    "%p is refused",
    (typed) => {
      expect(readAmount(typed)).toBeNull();
    },
  );
});
