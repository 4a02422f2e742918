import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "./money.ts";
import {
  type ClassPrices,
  chargedClasses,
  costBound,
  costOf,
  type Price,
  type PriceTier,
  unpricedOf,
} from "./price.ts";
import { CALL_NAMES, type MainClass, PART_NAMES, TOKEN_PARTS, type TokenPart } from "./price-classes.ts";
import { priceFor } from "./price-variant.ts";
import { NO_USAGE, totalInput, type Usage, type UsageExtra, withExtra } from "./usage.ts";

const perMtok = fc.integer({ min: 0, max: 600_000_000 });
const tokens = fc.integer({ min: 0, max: 3_000_000 });
const few = fc.integer({ min: 1, max: 500 });

const someOf = <Name extends string>(names: readonly Name[], value: fc.Arbitrary<number>) =>
  fc
    .dictionary(fc.constantFrom(...names), value, { maxKeys: names.length })
    .map((drawn) => drawn as Partial<Record<Name, number>>);

const classPrices: fc.Arbitrary<ClassPrices> = fc
  .tuple(perMtok, perMtok, perMtok, perMtok, someOf(PART_NAMES, perMtok))
  .map(([input, output, read, write, parts]) => ({
    input_micro_per_mtok: input,
    output_micro_per_mtok: output,
    cache_read_micro_per_mtok: read,
    cache_write_micro_per_mtok: write,
    ...(Object.keys(parts).length > 0 && { parts_micro_per_mtok: parts }),
  }));

const anyPrice: fc.Arbitrary<Price> = fc
  .tuple(classPrices, classPrices, fc.option(fc.integer({ min: 1, max: 4_000_000 })), someOf(CALL_NAMES, perMtok))
  .map(([prices, of_tier, threshold, calls]) => {
    const tiers: PriceTier[] = threshold === null ? [] : [{ above_input_tokens: threshold, ...of_tier }];
    return {
      ...{ version: "v", from_ms: 0, ...prices, tiers },
      ...(Object.keys(calls).length > 0 && { calls_micro_per_kcall: calls }),
    };
  });

/** Draws the leaves of the token classes and sums them up to the classes, so that parts never exceed their class. */
const anyUsage: fc.Arbitrary<Usage> = fc
  .tuple(fc.array(tokens, { minLength: 4, maxLength: 4 }), someOf(PART_NAMES, tokens), someOf(CALL_NAMES, few))
  .map(([rest, drawn, calls]) => {
    const { output_reasoning: reasoning_tokens = 0, ...parts } = drawn;
    const sum = (main: MainClass) =>
      PART_NAMES.reduce((all, name) => all + (TOKEN_PARTS[name] === main ? (drawn[name] ?? 0) : 0), 0);
    const [input = 0, read = 0, write = 0, output = 0] = rest;
    const usage = withExtra(
      {
        input_tokens: input + sum("input"),
        cache_read_tokens: read + sum("cache_read"),
        cache_write_tokens: write + sum("cache_write"),
        output_tokens: output + sum("output"),
        reasoning_tokens,
      },
      { parts, calls },
    );
    if (usage === null) throw new Error("the parts are more than their class");
    return usage;
  });

/** The cost of a usage by plain arithmetic: every token is counted once, at its part's price or its class's. */
function plainCost(usage: Usage, price: Price): bigint {
  const prices = price.tiers.find((tier) => totalInput(usage) > tier.above_input_tokens) ?? price;
  const price_of_main = {
    input: prices.input_micro_per_mtok,
    cache_read: prices.cache_read_micro_per_mtok,
    cache_write: prices.cache_write_micro_per_mtok,
    output: prices.output_micro_per_mtok,
  };
  let sum =
    BigInt(usage.input_tokens) * BigInt(price_of_main.input) +
    BigInt(usage.cache_read_tokens) * BigInt(price_of_main.cache_read) +
    BigInt(usage.cache_write_tokens) * BigInt(price_of_main.cache_write) +
    BigInt(usage.output_tokens) * BigInt(price_of_main.output);
  const parts = { ...usage.extra?.parts, output_reasoning: usage.reasoning_tokens };
  for (const [name, count] of Object.entries(parts) as [TokenPart, number][]) {
    const own = prices.parts_micro_per_mtok?.[name] ?? price_of_main[TOKEN_PARTS[name]];
    sum += BigInt(count) * (BigInt(own) - BigInt(price_of_main[TOKEN_PARTS[name]]));
  }
  for (const name of CALL_NAMES) {
    sum += BigInt(usage.extra?.calls?.[name] ?? 0) * BigInt(price.calls_micro_per_kcall?.[name] ?? 0) * 1000n;
  }
  return (sum + 999_999n) / 1_000_000n;
}

describe("a usage with parts and calls", () => {
  test("costs what plain arithmetic over each of its tokens and calls says", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, (usage, price) => costOf(usage, price) === plainCost(usage, price)),
      { numRuns: 2_000 },
    );
  });

  test("is charged in disjoint classes: every token is in exactly one", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, (usage, price) => {
        const charged = chargedClasses(usage, price).filter(({ unit }) => unit === "token");
        const all = charged.reduce((sum, { count }) => sum + count, 0);
        expect(all).toBe(totalInput(usage) + usage.output_tokens);
        expect(new Set(charged.map((each) => each.class)).size).toBe(charged.length);
      }),
    );
  });

  test("never costs more than its upper bound", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, tokens, tokens, (usage, price, more_input, more_output) => {
        const parts = new Set(Object.keys(usage.extra?.parts ?? {}) as TokenPart[]);
        const rare = { parts, calls: usage.extra?.calls ?? {} };
        const bound = costBound(totalInput(usage) + more_input, usage.output_tokens + more_output, price, rare);
        return bound >= costOf(usage, price);
      }),
      { numRuns: 2_000 },
    );
  });

  const price: Price = {
    ...{ version: "v", from_ms: 0, tiers: [] },
    ...{ input_micro_per_mtok: 2_000_000, output_micro_per_mtok: 8_000_000 },
    ...{ cache_read_micro_per_mtok: 500_000, cache_write_micro_per_mtok: 2_000_000 },
    parts_micro_per_mtok: { input_audio: 32_000_000, cache_write_1h: 4_000_000 },
    calls_micro_per_kcall: { web_search: 10_000_000 },
  };
  test.each<[string, Partial<Usage>, UsageExtra, number]>([
    ["audio in at its own price", { input_tokens: 10 }, { parts: { input_audio: 4 } }, 6 * 2 + 4 * 32],
    ["a part without a price as its class", { output_tokens: 10 }, { parts: { output_audio: 4 } }, 80],
    ["an hour's cache at its own price", { cache_write_tokens: 10 }, { parts: { cache_write_1h: 10 } }, 40],
    ["three searches", { input_tokens: 1 }, { calls: { web_search: 3 } }, 2 + 3 * 10_000],
    ["calls without a price for nothing", { input_tokens: 1 }, { calls: { file_search: 3 } }, 2],
  ])("charges %s", (_, counts, extra, cost) => {
    const usage = withExtra({ ...NO_USAGE, ...counts }, extra);
    if (usage === null) throw new Error("not believed");
    expect(costOf(usage, price)).toBe(micro(cost));
  });

  test("lists its counts that have no price", () => {
    const usage = { ...NO_USAGE, extra: { calls: { web_search: 1, file_search: 2 }, unpriced: ["hologram_tokens"] } };
    expect(unpricedOf(usage, price)).toEqual(["file_search", "hologram_tokens"]);
    expect(unpricedOf(NO_USAGE, price)).toEqual([]);
  });

  test.each<[string, UsageExtra]>([
    ["more audio than input", { parts: { input_audio: 11 } }],
    ["parts that are together more than their class", { parts: { input_audio: 6, input_image: 6 } }],
    ["a fraction of a call", { calls: { web_search: 0.5 } }],
    ["a negative count", { parts: { input_audio: -1 } }],
  ])("is not believed with %s", (_, extra) => {
    expect(withExtra({ ...NO_USAGE, input_tokens: 10 }, extra)).toBeNull();
  });

  test("has no extras where all of them are 0", () => {
    const usage = { ...NO_USAGE, input_tokens: 10 };
    expect(withExtra(usage, { parts: { input_audio: 0 }, calls: { web_search: 0 }, unpriced: [] })).toBe(usage);
  });
});

describe("the price list for what a request asks for", () => {
  const usual: Price = {
    ...{ version: "usual", from_ms: 0, tiers: [] },
    ...{ input_micro_per_mtok: 1_000_001, output_micro_per_mtok: 5_000_000 },
    ...{ cache_read_micro_per_mtok: 0, cache_write_micro_per_mtok: 1_250_000 },
    parts_micro_per_mtok: { cache_write_1h: 2_000_000 },
    calls_micro_per_kcall: { web_search: 10_000_000 },
  };
  const fast: Price = { ...usual, version: "fast", input_micro_per_mtok: 6_000_000, variant: "speed=fast" };
  const flex: Price = { ...usual, version: "flex", input_micro_per_mtok: 500_000, variant: "service_tier=flex" };
  const variants = { service_tiers: { flex }, speeds: { fast }, residency_millionths: { us: 1_100_000 } };
  const price: Price = { ...usual, variants };

  test("is the usual list where the request asks for nothing", () => {
    expect(priceFor(price, null)).toBe(price);
    expect(priceFor(price, {})).toBe(price);
  });

  test("is the list of the requested tier or speed", () => {
    expect(priceFor(price, { service_tier: "flex" })).toBe(flex);
    expect(priceFor(price, { speed: "fast" })).toBe(fast);
  });

  test("multiplies every token price by the residency's factor, rounds up, and keeps the prices of calls", () => {
    const list = priceFor(price, { residency: "us" });
    expect(list).toMatchObject({
      version: "usual*1.1",
      variant: "residency=us",
      input_micro_per_mtok: 1_100_002,
      cache_read_micro_per_mtok: 0,
      parts_micro_per_mtok: { cache_write_1h: 2_200_000 },
      calls_micro_per_kcall: { web_search: 10_000_000 },
    });
    expect(list).not.toHaveProperty("variants");
    expect(priceFor(price, { residency: "us" })).toBe(list);
    expect(priceFor(price, { residency: "us", speed: "fast" })).toMatchObject({ input_micro_per_mtok: 6_600_000 });
  });

  test.each([
    [{ service_tier: "priority" }],
    [{ speed: "slow" }],
    [{ residency: "eu" }],
    [{ service_tier: "flex", speed: "fast" }],
    [{ service_tier: "toString" }],
    [{ service_tier: "__proto__" }],
  ])("is none for %j, which the price does not name", (asked) => {
    expect(priceFor(price, asked)).toBeNull();
  });
});
