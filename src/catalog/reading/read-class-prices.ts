import { type ChargedSides, chargesOutput } from "../../core/catalog/catalog.ts";
import type { ClassPrices, PriceTier } from "../../core/money/price.ts";
import { PART_NAMES, type TokenPart } from "../../core/money/price-classes.ts";
import { report, type YamlPlace } from "./place.ts";
import { readEach, readFields, readList, type YamlFields } from "./read-fields.ts";
import { readCount, readPriceNumber } from "./read-scalar.ts";

/** The token classes, as a price list names them. */
export const CLASSES = ["input", "output", "cache_read", "cache_write", ...PART_NAMES] as const;
type ClassFields = YamlFields<(typeof CLASSES)[number]>;

/** A price list: the prices of the classes, and the tiers with other prices above an input threshold. */
export type ListedPrices = ClassPrices & { readonly tiers: readonly PriceTier[] };

export function readListedPrices(
  fields: YamlFields<(typeof CLASSES)[number] | "tiers">,
  charged: ChargedSides | "units-only",
): ListedPrices | null {
  const classes = readClasses(fields, charged);
  const tiers = readTiers(fields.get("tiers"), charged);
  return classes === null || tiers === null ? null : { ...classes, tiers };
}

/** The prices of the token classes; a cache class without a price costs the input price. */
function readClasses(fields: ClassFields, charged: ChargedSides | "units-only"): ClassPrices | null {
  // With a price by another unit, tokens cost nothing.
  const is_free = charged === "units-only";
  const input = is_free ? readNothing(fields.get("input"), BY_UNIT) : readInput(fields);
  const output = is_free
    ? readNothing(fields.get("output"), BY_UNIT)
    : !chargesOutput(charged)
      ? readNothing(fields.get("output"), INPUT_ONLY)
      : readOutput(fields);
  const cache_read = fields.get("cache_read");
  const cache_write = fields.get("cache_write");
  const read = cache_read === null ? input : readPriceNumber(cache_read);
  const write = cache_write === null ? input : readPriceNumber(cache_write);
  const parts = readParts(fields, charged);
  if (input === null || output === null || read === null || write === null || parts === null) return null;
  return {
    input_micro_per_mtok: input,
    output_micro_per_mtok: output,
    cache_read_micro_per_mtok: read,
    cache_write_micro_per_mtok: write,
    ...(Object.keys(parts).length > 0 && { parts_micro_per_mtok: parts }),
  };
}

function readInput(fields: ClassFields): number | null {
  return readPriceNumber(fields.require("input", "the price of a million input tokens, such as 3.00"));
}

function readOutput(fields: ClassFields): number | null {
  return readPriceNumber(fields.require("output", "the price of a million output tokens, such as 15.00"));
}

const BY_UNIT = "0 or nothing: a price is by tokens or by another unit";
const INPUT_ONLY = "0 or nothing: a decision is charged for its input only";

function readNothing(place: YamlPlace | null, why: string): number | null {
  const price = place === null ? 0 : readPriceNumber(place);
  return place === null || price === null || price === 0 ? price : report(place, why);
}

/** The token parts with a separate price. Decisions have no parts: they are charged for a single class of tokens. */
function readParts(
  fields: ClassFields,
  charged: ChargedSides | "units-only",
): Partial<Record<TokenPart, number>> | null {
  const is_input_only = charged !== "units-only" && !chargesOutput(charged);
  const places = PART_NAMES.map((name) => [name, fields.get(name)] as const);
  return readEach(places, (place) => (is_input_only ? report(place, INPUT_ONLY) : readPriceNumber(place)));
}

function readTiers(place: YamlPlace | null, charged: ChargedSides | "units-only"): PriceTier[] | null {
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

function readTier(place: YamlPlace, charged: ChargedSides | "units-only"): PriceTier | null {
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
