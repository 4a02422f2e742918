import type { ClassPrices, Price, PriceTier } from "../core/price.ts";
import { type Place, report } from "./place.ts";
import { withVersion } from "./price-version.ts";
import { type Fields, isList, readFields, readList } from "./read-fields.ts";
import { readCount, readDate, readPriceNumber } from "./read-scalar.ts";

/** What a model of this kind is charged for: decisions cost their input only (docs/api.md 8). */
export type Charged = "input-and-output" | "input-only";

const CLASSES = ["input", "output", "cache_read", "cache_write"] as const;

/** Reads a price, or a list of prices with the dates from which they apply, ascending. Null when any of it is wrong. */
export function readPrices(place: Place, charged: Charged): Price[] | null {
  const items = isList(place) ? readList(place, "a list of prices") : [place];
  if (items === null) return null;
  const prices: Price[] = [];
  const seen = new Set<number>();
  for (const item of items) {
    const price = readPrice(item, charged);
    if (price === null) continue;
    if (seen.has(price.from_ms))
      report(item, "one price for each date, and one without", "a second price from the same date");
    seen.add(price.from_ms);
    prices.push(price);
  }
  if (prices.length < items.length) return null;
  return prices.toSorted((a, b) => a.from_ms - b.from_ms);
}

function readPrice(place: Place, charged: Charged): Price | null {
  const fields = readFields(place, [...CLASSES, "tiers", "from"]);
  if (fields === null) return null;
  const from = fields.get("from");
  const from_ms = from === null ? 0 : readDate(from);
  const classes = readClasses(fields, charged);
  const tiers = readTiers(fields.get("tiers"), charged);
  if (from_ms === null || classes === null || tiers === null) return null;
  return withVersion({ from_ms, ...classes, tiers });
}

/** The prices of the four classes; a cache class that is not given costs what input costs. */
function readClasses(fields: Fields<(typeof CLASSES)[number]>, charged: Charged): ClassPrices | null {
  const input = readPriceNumber(fields.require("input", "the price of a million input tokens, such as 3.00"));
  const output = charged === "input-only" ? readNoOutput(fields.get("output")) : readOutput(fields);
  const cache_read = fields.get("cache_read");
  const cache_write = fields.get("cache_write");
  const read = cache_read === null ? input : readPriceNumber(cache_read);
  const write = cache_write === null ? input : readPriceNumber(cache_write);
  if (input === null || output === null || read === null || write === null) return null;
  return {
    input_micro_per_mtok: input,
    output_micro_per_mtok: output,
    cache_read_micro_per_mtok: read,
    cache_write_micro_per_mtok: write,
  };
}

function readOutput(fields: Fields<(typeof CLASSES)[number]>): number | null {
  return readPriceNumber(fields.require("output", "the price of a million output tokens, such as 15.00"));
}

function readNoOutput(place: Place | null): number | null {
  const output = place === null ? 0 : readPriceNumber(place);
  if (place === null || output === null || output === 0) return output;
  return report(place, "0 or nothing: a decision is charged for its input only");
}

function readTiers(place: Place | null, charged: Charged): PriceTier[] | null {
  if (place === null) return [];
  const items = readList(place, "a list of tiers, each with above_input_tokens, input and output", "may-be-empty");
  if (items === null) return null;
  const tiers: PriceTier[] = [];
  for (const item of items) {
    const tier = readTier(item, charged);
    if (tier === null) continue;
    if (tiers.some(({ above_input_tokens }) => above_input_tokens === tier.above_input_tokens)) {
      report(item, "one tier for each threshold", "a second tier with the same above_input_tokens");
    }
    tiers.push(tier);
  }
  if (tiers.length < items.length) return null;
  return tiers.toSorted((a, b) => a.above_input_tokens - b.above_input_tokens);
}

function readTier(place: Place, charged: Charged): PriceTier | null {
  const fields = readFields(place, ["above_input_tokens", ...CLASSES]);
  if (fields === null) return null;
  const threshold = fields.require(
    "above_input_tokens",
    "the input tokens above which the tier applies, such as 200000",
  );
  const above_input_tokens = readCount(threshold, 1);
  const classes = readClasses(fields, charged);
  return above_input_tokens === null || classes === null ? null : { above_input_tokens, ...classes };
}
