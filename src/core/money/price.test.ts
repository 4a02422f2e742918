import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "./money.ts";
import { type ClassPrices, costBound, costOf, type Price, type PriceTier, pricesAt } from "./price.ts";
import { NO_USAGE, totalInput, type Usage } from "./usage.ts";

const tokens = fc.integer({ min: 0, max: 4_000_000 });
const perMtok = fc.integer({ min: 0, max: 600_000_000 });

const classPrices = fc.record<ClassPrices>({
  input_micro_per_mtok: perMtok,
  output_micro_per_mtok: perMtok,
  cache_read_micro_per_mtok: perMtok,
  cache_write_micro_per_mtok: perMtok,
});

const tiers: fc.Arbitrary<PriceTier[]> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4_000_000 }), classPrices), {
    maxLength: 3,
    selector: ([threshold]) => threshold,
  })
  .map((drawn) =>
    drawn.sort(([a], [b]) => a - b).map(([above_input_tokens, prices]) => ({ above_input_tokens, ...prices })),
  );

const flatPrice: fc.Arbitrary<Price> = classPrices.map((prices) => ({
  version: "v",
  from_ms: 0,
  tiers: [],
  ...prices,
}));
const anyPrice: fc.Arbitrary<Price> = fc.tuple(flatPrice, tiers).map(([price, some]) => ({ ...price, tiers: some }));

const anyUsage: fc.Arbitrary<Usage> = fc
  .tuple(tokens, tokens, tokens, tokens, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, share]) => ({
    input_tokens,
    cache_read_tokens,
    cache_write_tokens,
    output_tokens,
    reasoning_tokens: Math.floor(output_tokens * share),
  }));

/** The exact cost in millionths of a micro: the sum of class × price, before the one rounding. */
function exactCost(usage: Usage, prices: ClassPrices): bigint {
  const products: [number, number][] = [
    [usage.input_tokens, prices.input_micro_per_mtok],
    [usage.cache_read_tokens, prices.cache_read_micro_per_mtok],
    [usage.cache_write_tokens, prices.cache_write_micro_per_mtok],
    [usage.output_tokens, prices.output_micro_per_mtok],
  ];
  return products.reduce((sum, [count, price]) => sum + BigInt(count) * BigInt(price), 0n);
}

const swift: Price = {
  version: "v1",
  from_ms: 0,
  input_micro_per_mtok: 3_000_000,
  output_micro_per_mtok: 15_000_000,
  cache_read_micro_per_mtok: 300_000,
  cache_write_micro_per_mtok: 3_750_000,
  tiers: [
    {
      above_input_tokens: 200_000,
      input_micro_per_mtok: 6_000_000,
      output_micro_per_mtok: 22_500_000,
      cache_read_micro_per_mtok: 600_000,
      cache_write_micro_per_mtok: 6_000_000,
    },
  ],
};

describe("the cost of a usage", () => {
  test.each<[string, Partial<Usage>, number]>([
    ["nothing", {}, 0],
    ["one input token: rounded up from 3", { input_tokens: 1 }, 3],
    ["one cached token: 0.3 micro, rounded up", { cache_read_tokens: 1 }, 1],
    ["a plain request", { input_tokens: 1_000, output_tokens: 500 }, 10_500],
    ["every class", { input_tokens: 10, cache_read_tokens: 10, cache_write_tokens: 10, output_tokens: 10 }, 221],
    ["input exactly at the tier's threshold: the base price", { input_tokens: 200_000 }, 600_000],
    ["one token above the threshold: the tier's price for all tokens", { input_tokens: 200_001 }, 1_200_006],
    ["above the threshold by cached tokens alone", { cache_read_tokens: 200_001, output_tokens: 1 }, 120_001 + 23],
  ])("%s", (_what, usage, expected) => {
    expect(costOf({ ...NO_USAGE, ...usage }, swift)).toBe(micro(expected));
  });

  test("is the sum of class × price, rounded up once by less than one micro", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, (usage, price) => {
        const exact = exactCost(usage, pricesAt(price, totalInput(usage)));
        const excess = costOf(usage, price) * 1_000_000n - exact;
        return excess >= 0n && excess < 1_000_000n;
      }),
    );
  });

  test("is not changed by how much of the output was reasoning", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, (usage, price) => {
        return costOf({ ...usage, reasoning_tokens: 0 }, price) === costOf(usage, price);
      }),
    );
  });

  test("never falls when a class grows, at prices without tiers", () => {
    fc.assert(
      fc.property(anyUsage, flatPrice, tokens, (usage, price, more) => {
        const cost = costOf(usage, price);
        expect(costOf({ ...usage, input_tokens: usage.input_tokens + more }, price) >= cost).toBe(true);
        expect(costOf({ ...usage, cache_read_tokens: usage.cache_read_tokens + more }, price) >= cost).toBe(true);
        expect(costOf({ ...usage, cache_write_tokens: usage.cache_write_tokens + more }, price) >= cost).toBe(true);
        expect(costOf({ ...usage, output_tokens: usage.output_tokens + more }, price) >= cost).toBe(true);
      }),
    );
  });

  test("is rounded once for the whole request: parts that are priced apart cost as much or one micro more", () => {
    fc.assert(
      fc.property(anyUsage, flatPrice, (usage, price) => {
        const input = { ...usage, output_tokens: 0, reasoning_tokens: 0 };
        const output = { ...NO_USAGE, output_tokens: usage.output_tokens };
        const apart = costOf(input, price) + costOf(output, price);
        const together = costOf(usage, price);
        return together <= apart && apart <= together + 1n;
      }),
    );
  });
});

describe("the prices that apply", () => {
  test("are those of the highest threshold that the input is strictly above", () => {
    fc.assert(
      fc.property(anyPrice, fc.integer({ min: 0, max: 5_000_000 }), (price, input_tokens) => {
        const passed = price.tiers.filter((tier) => tier.above_input_tokens < input_tokens);
        return pricesAt(price, input_tokens) === (passed.at(-1) ?? price);
      }),
    );
  });
});

describe("the upper bound for a hold", () => {
  /** A usage and a bound of its input and output that is not below it. */
  const withinBounds = fc.tuple(anyUsage, tokens, tokens).map(([usage, spare_input, spare_output]) => ({
    usage,
    input_bound: totalInput(usage) + spare_input,
    output_bound: usage.output_tokens + spare_output,
  }));

  test("covers any usage within the token bounds, in any classes and any tier", () => {
    fc.assert(
      fc.property(withinBounds, anyPrice, ({ usage, input_bound, output_bound }, price) => {
        return costBound(input_bound, output_bound, price) >= costOf(usage, price);
      }),
      { numRuns: 1_000 },
    );
  });

  test("never falls when either token bound grows", () => {
    fc.assert(
      fc.property(fc.tuple(tokens, tokens), fc.tuple(tokens, tokens), anyPrice, (size, more, price) => {
        return costBound(size[0] + more[0], size[1] + more[1], price) >= costBound(size[0], size[1], price);
      }),
    );
  });

  test("is the exact cost where there is one class and no tier", () => {
    const plain: Price = { ...swift, cache_write_micro_per_mtok: 3_000_000, tiers: [] };
    const usage = { ...NO_USAGE, input_tokens: 12_345, output_tokens: 678 };
    expect(costBound(12_345, 678, plain)).toBe(costOf(usage, plain));
  });

  test("leaves out a tier that the input cannot reach", () => {
    expect(costBound(200_000, 0, swift)).toBe(micro(750_000));
    expect(costBound(200_001, 0, swift)).toBe(micro(1_200_006));
  });
});
