import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { laterUsage, NO_USAGE, totalInput, type Usage, type UsageExtra, withExtra } from "./usage.ts";

type Counts = Partial<Omit<Usage, "extra">>;
const input = (input_tokens: number, cache_read_tokens: number, cache_write_tokens: number) => ({
  ...{ input_tokens, cache_read_tokens, cache_write_tokens },
});
const usage = (counts: Counts, extra?: UsageExtra): Usage => ({ ...NO_USAGE, ...counts, ...(extra && { extra }) });

describe("a usage that is told more than once", () => {
  test.each([
    ["zeros erase nothing", input(10, 100, 50), input(0, 0, 0), input(10, 100, 50)],
    ["a zero beside a count erases nothing", input(10, 100, 50), input(10, 0, 0), input(10, 100, 50)],
    ["the exact input replaces a lower estimate", input(10, 0, 0), input(3, 100, 50), input(3, 100, 50)],
    ["the exact input replaces a higher estimate", input(1000, 0, 0), input(10, 980, 0), input(10, 980, 0)],
    [
      "tokens that were read from a cache after all are not counted twice",
      input(1000, 0, 0),
      input(0, 1000, 0),
      input(0, 1000, 0),
    ],
    ["an estimate is no second input", input(1000, 0, 0), input(0, 990, 0), input(10, 990, 0)],
    ["zeros come first", input(0, 0, 0), input(10, 100, 50), input(10, 100, 50)],
  ])("%s", (_, earlier, later, merged) => {
    expect(laterUsage(usage(earlier), usage(later))).toEqual(usage(merged));
  });

  test("output only grows", () => {
    const earlier = usage({ input_tokens: 1, output_tokens: 50, reasoning_tokens: 40 });
    expect(laterUsage(earlier, usage({ input_tokens: 1, output_tokens: 7 }))).toEqual(earlier);
    expect(laterUsage(earlier, usage({ input_tokens: 1, output_tokens: 90 }))).toMatchObject({
      ...{ output_tokens: 90, reasoning_tokens: 40 },
    });
  });

  test("parts, calls and names stay where they are not told again", () => {
    const rare = { parts: { cache_write_1h: 7 }, calls: { web_search: 3 }, unpriced: ["hologram_tokens"] };
    const earlier = usage({ ...input(1, 2, 9) }, rare);
    expect(laterUsage(earlier, usage({ ...input(0, 0, 0), output_tokens: 5 }))).toEqual({
      ...earlier,
      output_tokens: 5,
    });
    const later = usage(input(1, 2, 9), { calls: { web_search: 1, file_search: 1 } });
    expect(laterUsage(earlier, later).extra?.calls).toEqual({ web_search: 3, file_search: 1 });
  });
});

const count = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(1000));
const told: fc.Arbitrary<Usage> = fc
  .record({ i: count, r: count, w: count, o: count, t: count, hour: count, searches: fc.nat(3) })
  .map(({ i, r, w, o, t, hour, searches }) => {
    const counts = usage({ ...input(i, r, w), output_tokens: o, reasoning_tokens: Math.min(t, o) });
    const extra = { parts: { cache_write_1h: Math.min(hour, w) }, calls: { web_search: searches } };
    return withExtra(counts, extra) ?? counts;
  });

test("whatever reports follow each other, no count is erased, output never falls, and no input is counted twice", () => {
  fc.assert(
    fc.property(fc.array(told, { minLength: 1, maxLength: 8 }), (reports) => {
      let merged: Usage | null = null;
      let most_input = 0;
      for (const report of reports) {
        const before: Usage | null = merged;
        merged = laterUsage(before, report);
        most_input = Math.max(most_input, totalInput(report));
        expect(merged.output_tokens).toBeGreaterThanOrEqual(Math.max(before?.output_tokens ?? 0, report.output_tokens));
        expect(merged.reasoning_tokens).toBeLessThanOrEqual(merged.output_tokens);
        expect(totalInput(merged)).toBeGreaterThanOrEqual(totalInput(report));
        expect(totalInput(merged)).toBeLessThanOrEqual(most_input);
        if (totalInput(report) === 0) expect(totalInput(merged)).toBe(totalInput(before ?? NO_USAGE));
        expect(merged.extra?.calls?.web_search ?? 0).toBeGreaterThanOrEqual(before?.extra?.calls?.web_search ?? 0);
        expect(merged.extra?.parts?.cache_write_1h ?? 0).toBeLessThanOrEqual(merged.cache_write_tokens);
      }
    }),
    { numRuns: 1000 },
  );
});
