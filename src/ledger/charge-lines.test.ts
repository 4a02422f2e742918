import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, micro, ZERO } from "../core/money/money.ts";
import { costOf, type Price } from "../core/money/price.ts";
import type { Usage } from "../core/money/usage.ts";
import { chargeLines, exactMicro, tierOf } from "./charge-lines.ts";

const PRICE: Price = {
  version: "v1",
  from_ms: 0,
  input_micro_per_mtok: 1_250_001,
  output_micro_per_mtok: 10_000_000,
  cache_read_micro_per_mtok: 125_000,
  cache_write_micro_per_mtok: 1_562_500,
  tiers: [
    {
      above_input_tokens: 200_000,
      input_micro_per_mtok: 2_500_000,
      output_micro_per_mtok: 15_000_000,
      cache_read_micro_per_mtok: 250_000,
      cache_write_micro_per_mtok: 2_500_000,
    },
  ],
};

test("lines say what each class of tokens costs, exactly and in whole micro units", () => {
  const usage = { input_tokens: 3, cache_read_tokens: 7, cache_write_tokens: 0, output_tokens: 2, reasoning_tokens: 1 };
  const lines = chargeLines(usage, PRICE);
  expect(lines.map((line) => [line.class, line.count, exactMicro(line), line.amount_micro])).toEqual([
    ["input", 3, "3.750003", micro(4)],
    ["cache_read", 7, "0.875", micro(1)],
    ["output", 2, "20", micro(20)],
  ]);
  expect(costOf(usage, PRICE)).toBe(micro(25));
});

const count = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 2 ** 31 }));
const USAGE: fc.Arbitrary<Usage> = fc.record({
  input_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  output_tokens: count,
  reasoning_tokens: fc.constant(0),
});

test("lines add up to the cost, each within one micro unit of what is exact, whatever the usage and its tier", () => {
  fc.assert(
    fc.property(USAGE, (usage) => {
      const lines = chargeLines(usage, PRICE);
      expect(lines.reduce((total, { amount_micro }) => add(total, amount_micro), ZERO)).toBe(costOf(usage, PRICE));
      for (const { exact, amount_micro } of lines) {
        const difference = amount_micro * 1_000_000n - exact;
        expect(difference > -1_000_000n && difference < 1_000_000n).toBe(true);
      }
    }),
  );
});

test("a tier applies strictly above its threshold", () => {
  const usage = {
    input_tokens: 1,
    cache_read_tokens: 199_999,
    cache_write_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
  };
  expect(tierOf(usage, PRICE)).toBeNull();
  expect(tierOf({ ...usage, cache_write_tokens: 1 }, PRICE)).toBe(200_000);
});

test("parts and calls have lines of their own, and the lines are disjoint and add up to the cost", () => {
  const price: Price = {
    ...PRICE,
    tiers: [],
    parts_micro_per_mtok: { input_audio: 32_000_001, cache_write_1h: 2_500_000, output_reasoning: 5_000_000 },
    calls_micro_per_kcall: { web_search: 10_000_001 },
  };
  const usage: Usage = {
    ...{ input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 6, output_tokens: 8, reasoning_tokens: 3 },
    extra: { parts: { input_audio: 4, cache_write_1h: 6, output_audio: 2 }, calls: { web_search: 3, file_search: 1 } },
  };
  const lines = chargeLines(usage, price);
  expect(lines.map((line) => [line.class, line.unit, line.count, exactMicro(line), line.amount_micro])).toEqual([
    ["input", "token", 6, "7.500006", micro(8)],
    ["input_audio", "token", 4, "128.000004", micro(128)],
    ["cache_write_1h", "token", 6, "15", micro(15)],
    ["output", "token", 5, "50", micro(50)],
    ["output_reasoning", "token", 3, "15", micro(15)],
    ["web_search", "call", 3, "30000.003", micro(30_000)],
  ]);
  expect(lines.reduce((total, { amount_micro }) => add(total, amount_micro), ZERO)).toBe(costOf(usage, price));
});
