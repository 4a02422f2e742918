import { describe, expect, test } from "bun:test";
import { micro } from "./money.ts";
import { chargedClasses, costBound, costOf, type Price, type UnitPrices } from "./price.ts";
import type { UnitCounts } from "./price-classes.ts";
import { imageLists, servedPrice } from "./price-variant.ts";
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
    [{ images: 40_000 }, { images: 3 }, 120_000],
  ])("at %p %p cost %p", (prices: UnitPrices, units: UnitCounts, charge) => {
    const price = priceOf(prices);
    expect(costOf({ ...NO_USAGE, extra: { units } }, price)).toBe(micro(charge));
    expect(costBound(1000, 1000, price, { parts: new Set(), calls: {}, units })).toBe(micro(charge));
  });

  const table: Price = {
    ...priceOf({ images: 40_000 }),
    variants: {
      images: { "1024x1024/hd": priceOf({ images: 80_000 }), "1792x1024/hd": priceOf({ images: 120_000 }) },
    },
  };

  test.each([
    [{}, [40_000, 80_000, 120_000]],
    [{ size: "auto", quality: "auto" }, [40_000, 80_000, 120_000]],
    [{ size: "1024x1024" }, [40_000, 80_000]],
    [{ quality: "standard" }, [40_000]],
    [{ size: "1024x1024", quality: "hd" }, [80_000]],
    [{ size: "1024x1024", quality: "constructor" }, [40_000]],
    [{ size: 5, quality: null }, [40_000, 80_000, 120_000]],
  ])("images asked for as %p may cost %p", (asked, prices) => {
    expect(imageLists(table, asked).map(({ units_micro }) => Number(units_micro?.images))).toEqual(prices);
  });

  test.each([
    ["1024x1024/hd", 80_000],
    ["1024x1024/low", 40_000],
    [undefined, 40_000],
  ])("images that were made as %p cost %p", (image, price_micro) => {
    const { price, unpriced } = servedPrice(table, {}, { image });
    expect([price.units_micro?.images, unpriced]).toEqual([price_micro, null]);
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
