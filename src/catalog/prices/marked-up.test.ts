import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Markup } from "../../core/money/markup.ts";
import { costBound, costOf, type Price, pricesAt } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";
import { followedPrices } from "./marked-up.ts";
import { priceAt } from "./price-at.ts";
import { imageList, withVersion } from "./price-version.ts";

/** Prices that follow the vendors' prices: exact, monotonic, and never below what any route costs (docs/design/prices-and-receipts.md). */

const CLASSES = [
  "input_micro_per_mtok",
  "output_micro_per_mtok",
  "cache_read_micro_per_mtok",
  "cache_write_micro_per_mtok",
] as const;

const figure = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1_000_000_000 }));
const classes = fc.record(Object.fromEntries(CLASSES.map((name) => [name, figure]))) as fc.Arbitrary<
  Record<(typeof CLASSES)[number], number>
>;
const parts = fc.record(
  { input_audio: figure, output_reasoning: figure, cache_write_1h: figure },
  { requiredKeys: [] },
);
const listed = fc.tuple(classes, parts).map(([main, some]) => ({
  ...main,
  ...(Object.keys(some).length > 0 && { parts_micro_per_mtok: some }),
}));
const calls = fc.record({ web_search: figure, code_execution: figure }, { requiredKeys: [] });
const DAY_MS = 86_400_000;

const price = fc
  .tuple(
    listed,
    fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 5 }), listed), { maxLength: 2, selector: ([above]) => above }),
    calls,
  )
  .map(
    ([main, tiers, called]) =>
      (from_ms: number): Price =>
        withVersion({
          ...{ from_ms, ...main },
          tiers: tiers
            .toSorted(([a], [b]) => a - b)
            .map(([above, tier]) => ({ above_input_tokens: above * 100_000, ...tier })),
          ...(Object.keys(called).length > 0 && { calls_micro_per_kcall: called }),
        }),
  );
/** A route's prices: one that has always held, and some from later days. */
const route = fc
  .tuple(
    price,
    fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 9 }), price), { maxLength: 2, selector: ([day]) => day }),
  )
  .map(([first, later]) => [first(0), ...later.toSorted(([a], [b]) => a - b).map(([day, from]) => from(day * DAY_MS))]);
const routes = fc.array(route, { minLength: 1, maxLength: 3 });
const markup: fc.Arbitrary<Markup> = fc.record({
  from_ms: fc.integer({ min: 0, max: 9 }).map((day) => day * DAY_MS),
  until_ms: fc.constant(null),
  factor_millionths: fc.integer({ min: 1_000_000, max: 3_000_000 }),
  add_input_micro_per_mtok: figure,
  add_output_micro_per_mtok: figure,
});
const inputs = fc.integer({ min: 0, max: 800_000 });
const days = fc.integer({ min: 0, max: 12 }).map((day) => day * DAY_MS);

const followed = (given: Markup, costs: readonly (readonly Price[])[], kind: "chat" | "decision" = "chat") =>
  followedPrices({ markup: given, costs, kind });
const at = (prices: readonly Price[], now_ms: number) => priceAt({ id: "a model", prices }, now_ms);

const AT_COST: Markup = {
  from_ms: 0,
  until_ms: null,
  factor_millionths: 1_000_000,
  add_input_micro_per_mtok: 0,
  add_output_micro_per_mtok: 0,
};

describe("a price that follows", () => {
  test("is in each class the dearest route's price with the percentage and the fixed part, rounded up once", () => {
    fc.assert(
      fc.property(routes, markup, inputs, days, (costs, given, input_tokens, later_ms) => {
        const now_ms = given.from_ms + later_ms;
        const found = pricesAt(at(followed(given, costs), now_ms), input_tokens);
        for (const name of CLASSES) {
          const dearest = Math.max(...costs.map((prices) => pricesAt(at(prices, now_ms), input_tokens)[name]));
          const add =
            name === "output_micro_per_mtok" ? given.add_output_micro_per_mtok : given.add_input_micro_per_mtok;
          // The exact price in millionths of a micro unit: the figure is the first whole micro unit that is not below it.
          const exact = BigInt(dearest) * BigInt(given.factor_millionths) + BigInt(add) * 1_000_000n;
          const figure_millionths = BigInt(found[name]) * 1_000_000n;
          expect(figure_millionths >= exact && figure_millionths - exact < 1_000_000n).toBe(true);
        }
      }),
    );
  });

  test("charges for any usage at least what any route costs with the percentage, and its hold covers the charge", () => {
    const count = fc.integer({ min: 0, max: 400_000 });
    const usage: fc.Arbitrary<Usage> = fc.record({
      input_tokens: count,
      output_tokens: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
      reasoning_tokens: fc.constant(0),
    });
    fc.assert(
      fc.property(routes, markup, usage, days, (costs, given, used, later_ms) => {
        const now_ms = given.from_ms + later_ms;
        const sold = at(followed(given, costs), now_ms);
        const charge = costOf(used, sold);
        for (const prices of costs) {
          const cost = costOf(used, at(prices, now_ms));
          // The route's own cost is rounded up to a whole micro unit, and this is the only slack.
          expect((charge + 1n) * 1_000_000n > (cost - 1n) * BigInt(given.factor_millionths)).toBe(true);
          expect(charge >= cost).toBe(true);
        }
        const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = used;
        expect(costBound(input_tokens + cache_read_tokens + cache_write_tokens, output_tokens, sold) >= charge).toBe(
          true,
        );
      }),
    );
  });

  test.each([
    ["of which every one is by characters, by characters", [15_000_000, 30_000_000], { input_characters: 33_000_000 }],
    ["of which one is by tokens, by tokens", [15_000_000, null], undefined],
  ])("follows routes %s", (_routes, costs, units_micro) => {
    const cost = (input_characters: number | null): readonly Price[] => {
      const tokens = input_characters === null ? 2_000_000 : 0;
      return [
        withVersion({
          ...{ from_ms: 0, tiers: [], input_micro_per_mtok: tokens, output_micro_per_mtok: tokens },
          ...{ cache_read_micro_per_mtok: tokens, cache_write_micro_per_mtok: tokens },
          ...(input_characters !== null && { units_micro: { input_characters } }),
        }),
      ];
    };
    const given: Markup = {
      ...{ from_ms: 0, until_ms: null, factor_millionths: 1_100_000 },
      ...{ add_input_micro_per_mtok: 5, add_output_micro_per_mtok: 5 },
    };
    const [sold] = followedPrices({ markup: given, costs: costs.map(cost), kind: "speech" });
    expect(sold?.units_micro).toEqual(units_micro);
    expect(sold?.input_micro_per_mtok).toBe(units_micro === undefined ? 2_200_005 : 0);
  });

  test("follows the images of routes, each by the dearest", () => {
    const terms = { from_ms: 0, tiers: [], input_micro_per_mtok: 0, output_micro_per_mtok: 0 };
    const cost = (images: number, hd?: number): readonly Price[] => {
      const usual = { ...terms, cache_read_micro_per_mtok: 0, cache_write_micro_per_mtok: 0, units_micro: { images } };
      const variants =
        hd === undefined ? {} : { variants: { images: { "1024x1024/hd": imageList(usual, "1024x1024/hd", hd) } } };
      return [{ ...withVersion(usual), ...variants }];
    };
    const given: Markup = {
      ...{ from_ms: 0, until_ms: null, factor_millionths: 1_100_000 },
      ...{ add_input_micro_per_mtok: 5, add_output_micro_per_mtok: 5 },
    };
    const [sold] = followedPrices({ markup: given, costs: [cost(100, 150), cost(200)], kind: "image" });
    expect(sold?.units_micro).toEqual({ images: 220 });
    expect(sold?.variants?.images?.["1024x1024/hd"]?.units_micro).toEqual({ images: 220 });
  });

  test("never falls where a cost, the percentage or the fixed part rises, or a route is added", () => {
    const rise = fc.record({ more: route, percent: fc.integer({ min: 0, max: 1_000_000 }), add: figure });
    const asked = fc.tuple(inputs, days);
    fc.assert(
      fc.property(routes, markup, rise, asked, (costs, given, { more, percent, add }, [tokens, later_ms]) => {
        const now_ms = given.from_ms + later_ms;
        const before = pricesAt(at(followed(given, costs), now_ms), tokens);
        const dearer = {
          ...given,
          factor_millionths: given.factor_millionths + percent,
          add_input_micro_per_mtok: given.add_input_micro_per_mtok + add,
        };
        const raised_costs = costs.map((prices) => prices.map((one) => raised(one, add)));
        const after = [followed(dearer, costs), followed(given, [...costs, more]), followed(given, raised_costs)];
        for (const prices of after) {
          const found = pricesAt(at(prices, now_ms), tokens);
          for (const name of CLASSES) expect(found[name]).toBeGreaterThanOrEqual(before[name]);
        }
      }),
    );
  });

  test("is the vendor's own price, version and all, where one route is followed at cost", () => {
    fc.assert(
      fc.property(route, days, (prices, now_ms) => {
        expect(at(followed(AT_COST, [prices]), now_ms).version).toBe(at(prices, now_ms).version);
      }),
    );
  });

  test("has no two versions that differ in their date alone", () => {
    fc.assert(
      fc.property(routes, markup, (costs, given) => {
        const prices = followed(given, costs);
        expect(prices.map(({ from_ms }) => from_ms)).toEqual(
          [...new Set(prices.map(({ from_ms }) => from_ms))].toSorted((a, b) => a - b),
        );
        expect(prices[0]?.from_ms).toBe(given.from_ms);
        for (const [index, one] of prices.entries()) expect(one.version === prices[index + 1]?.version).toBe(false);
      }),
    );
  });

  const PLAIN = {
    input_micro_per_mtok: 3_000_000,
    output_micro_per_mtok: 15_000_000,
    cache_read_micro_per_mtok: 300_000,
    cache_write_micro_per_mtok: 3_750_000,
  };
  const plain = (more: Partial<Price> = {}): Price => withVersion({ from_ms: 0, ...PLAIN, tiers: [], ...more });
  const by_fifth: Markup = {
    ...AT_COST,
    factor_millionths: 1_200_000,
    add_input_micro_per_mtok: 50_000,
    add_output_micro_per_mtok: 70_000,
  };

  test("prices a part that one route alone prices apart at least as the other routes' class", () => {
    const [sold] = followed(by_fifth, [
      [plain({ parts_micro_per_mtok: { input_audio: 1_000_000, output_reasoning: 20_000_000 } })],
      [plain()],
    ]);
    expect(sold?.parts_micro_per_mtok).toEqual({ input_audio: 3_650_000, output_reasoning: 24_070_000 });
  });

  test("prices calls and lists for parameters only where every route prices them, and calls without the fixed part", () => {
    const flex = (input_micro_per_mtok: number) =>
      withVersion({ from_ms: 0, ...PLAIN, input_micro_per_mtok, tiers: [], variant: "service_tier=flex" });
    const one = plain({
      calls_micro_per_kcall: { web_search: 10_000_000, code_execution: 1 },
      variants: {
        service_tiers: { flex: flex(1_500_000), priority: flex(6_000_000) },
        residency_millionths: { us: 1_100_000 },
      },
    });
    const other = plain({
      calls_micro_per_kcall: { web_search: 5_000_000 },
      variants: { service_tiers: { flex: flex(2_000_000) }, residency_millionths: { us: 1_200_000, eu: 1_300_000 } },
    });
    const [sold] = followed(by_fifth, [[one], [other]]);
    expect(sold?.calls_micro_per_kcall).toEqual({ web_search: 12_000_000 });
    expect(Object.keys(sold?.variants?.service_tiers ?? {})).toEqual(["flex"]);
    expect(sold?.variants?.service_tiers?.flex).toMatchObject({
      input_micro_per_mtok: 2_450_000,
      variant: "service_tier=flex",
    });
    expect(sold?.variants?.residency_millionths).toEqual({ us: 1_200_000 });
  });

  test("adds nothing to the output of a decision, which costs nothing", () => {
    const [sold] = followed(by_fifth, [[plain({ output_micro_per_mtok: 0 })]], "decision");
    expect(sold).toMatchObject({ input_micro_per_mtok: 3_650_000, output_micro_per_mtok: 0 });
  });

  test("begins and ends with its dates", () => {
    const costs = [1, 3, 5].map((day) => plain({ from_ms: day * DAY_MS, input_micro_per_mtok: day }));
    const given = { ...AT_COST, from_ms: 2 * DAY_MS, until_ms: 5 * DAY_MS };
    const found = followedPrices({ markup: given, costs: [costs], kind: "chat" });
    expect(found.map(({ from_ms, input_micro_per_mtok: input }) => [from_ms / DAY_MS, input])).toEqual([
      [2, 1],
      [3, 3],
    ]);
  });
});

function raised(price: Price, by: number): Price {
  const more = Object.fromEntries(CLASSES.map((name) => [name, price[name] + by]));
  return {
    ...price,
    ...more,
    tiers: price.tiers.map((tier) => ({
      ...tier,
      ...Object.fromEntries(CLASSES.map((name) => [name, tier[name] + by])),
    })),
  };
}
