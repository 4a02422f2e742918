import { describe, expect, test } from "bun:test";
import { micro } from "./money.ts";
import { chargedClasses, costBound, costOf, type Price, type UnitPrices } from "./price.ts";
import type { UnitCounts } from "./price-classes.ts";
import { NO_USAGE } from "./usage.ts";

function priceOf(units_micro: UnitPrices): Price {
  return {
    ...{ version: "v", from_ms: 0, tiers: [], units_micro },
    ...{ input_micro_per_mtok: 0, output_micro_per_mtok: 0 },
    ...{ cache_read_micro_per_mtok: 0, cache_write_micro_per_mtok: 0 },
  };
}

describe("units in place of tokens", () => {
  test.each([
    [{ input_characters: 15_000_000 }, { input_characters: 4096 }, 61_440],
    [{ input_characters: 15_000_000 }, { input_characters: 1 }, 15],
    [{ input_characters: 1 }, { input_characters: 1 }, 1],
    [{ input_minutes: 6000 }, { input_seconds: 61 }, 6100],
    // A third of a micro unit a second: rounded up once, and not for each second.
    [{ input_minutes: 20 }, { input_seconds: 4 }, 2],
    [{ input_minutes: 20 }, { input_seconds: 3 }, 1],
    [{ input_minutes: 7 }, { input_seconds: 60_000_000 }, 7_000_000],
    [{ input_characters: 10 }, { input_seconds: 60 }, 0],
  ])("at %p %p cost %p", (prices: UnitPrices, units: UnitCounts, charge) => {
    const price = priceOf(prices);
    expect(costOf({ ...NO_USAGE, extra: { units } }, price)).toBe(micro(charge));
    expect(costBound(1000, 1000, price, { parts: new Set(), calls: {}, units })).toBe(micro(charge));
  });

  test("have a line of their own beside the tokens", () => {
    const price = { ...priceOf({ input_characters: 3_000_000 }), input_micro_per_mtok: 2_000_000 };
    const lines = chargedClasses({ ...NO_USAGE, input_tokens: 5, extra: { units: { input_characters: 7 } } }, price);
    expect(lines.map(({ class: name, unit, count }) => [name, unit, count])).toEqual([
      ["input", "token", 5],
      ["input_characters", "character", 7],
    ]);
  });
});
