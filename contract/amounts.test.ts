import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { amountText, readAmount } from "./amounts.ts";

const MOST = 999_999_999_999_999;
const anyAmount = fc.integer({ min: -MOST, max: MOST });

describe("a typed amount", () => {
  test.each([
    ["25", "25.00", 25_000_000],
    [" 0.000001 ", "0.000001", 1],
    ["1.125", "1.125", 1_125_000],
    ["1,5", "1.50", 1_500_000],
    ["1,50", "1.50", 1_500_000],
    ["0,125", "0.125", 125_000],
    ["1234,500", "1234.50", 1_234_500_000],
    ["-3.2", "-3.20", -3_200_000],
    ["−3.2", "-3.20", -3_200_000],
    ["-0", "0.00", 0],
    ["999999999.999999", "999999999.999999", MOST],
  ])("%p is %p, which is %d micro units", (typed, text, micro) => {
    expect(readAmount(typed)).toEqual({ text, micro });
  });

  test.each([
    ["1,000", "1,000 may mean 1000 or 1.00: write one of them."],
    ["-12,345", "-12,345 may mean -12345 or -12.345: write one of them."],
    ["1,250", "1,250 may mean 1250 or 1.25: write one of them."],
    ["1,000.50", "Write 1000.50, without anything between thousands."],
    ["1.000,5", "Write 1000.5, without anything between thousands."],
    ["1,000,000", "Write 1000000, without anything between thousands."],
    ["1 000", "Write 1000, without anything between thousands."],
    ["-1'000.25", "Write -1000.25, without anything between thousands."],
    ["1.0000001", "1.0000001 has 7 decimals: an amount has at most six."],
    ["1234567890", "1234567890 is too large: an amount is at most 999999999.999999."],
  ])("%p is refused, with what to write instead", (typed, problem) => {
    expect(readAmount(typed)).toEqual({ problem });
  });

  test.each(["", "-", "1.", ".5", "ten", "1e3", "--1", "+1", "1,2,3", "1..5", "١", "$5", "0x10"])(
    "%p is no amount",
    (typed) => {
      expect(readAmount(typed)).toEqual({
        problem: "Write an amount such as 25 or 0.50, with at most six decimals.",
      });
    },
  );
});

test("an amount that was written is read as the same amount", () => {
  fc.assert(
    fc.property(anyAmount, (micro) => {
      const text = amountText(micro);
      expect(readAmount(text)).toEqual({ micro, text });
    }),
  );
});

/** Texts as people write amounts all over the world: digits with separators anywhere. */
const written = fc.stringMatching(/^-?\d{1,4}([.,' ]\d{1,4}){0,3}$/);

test("whatever is understood has one meaning: with a point for the comma it is the same number", () => {
  fc.assert(
    fc.property(written, (typed) => {
      const read = readAmount(typed);
      if ("problem" in read) return;
      const text = typed.trim();
      expect(text.match(/[.,' ]/g) ?? []).toHaveLength(/^-?\d+$/.test(text) ? 0 : 1);
      expect(text).not.toMatch(/^-?[1-9]\d{0,2},\d{3}$/);
      expect(read.micro / 1e6).toBeCloseTo(Number(text.replace(",", ".")), 6);
      expect(readAmount(read.text)).toEqual(read);
    }),
  );
});

test("what a refusal offers instead is understood", () => {
  fc.assert(
    fc.property(written, (typed) => {
      const read = readAmount(typed);
      if (!("problem" in read)) return;
      const offered = read.problem.match(/(?<=may mean |or |Write )-?\d[\d.]*\d(?=[ :,])/g) ?? [];
      for (const text of offered) expect(readAmount(text)).not.toHaveProperty("problem");
    }),
  );
});
