import type { ClassPrices, Price, PriceTier } from "../../core/price.ts";

/** Everything of a price but its name. */
export type PriceTerms = Omit<Price, "version">;

const VERSION_LENGTH = 12;

/**
 * Names a price for receipts: a short hash of its numbers, so that equal prices have equal names wherever and whenever
 * they are read, and any change of a number gives another name. When it takes effect is no part of it, and neither are its
 * variants, which have names of their own.
 */
export function withVersion(terms: PriceTerms): Price {
  const { calls_micro_per_kcall: calls, variant } = terms;
  const text = JSON.stringify([
    numbersOf(terms),
    terms.tiers.map((tier) => [tier.above_input_tokens, numbersOf(tier)]),
    // Only where they are there: prices of the four classes keep the names that they have always had.
    ...(calls === undefined && variant === undefined ? [] : [sorted(calls ?? {}), variant ?? null]),
  ]);
  const version = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, VERSION_LENGTH);
  return { version, ...terms };
}

function numbersOf(prices: ClassPrices | PriceTier): unknown[] {
  const { parts_micro_per_mtok: parts } = prices;
  return [
    prices.input_micro_per_mtok,
    prices.output_micro_per_mtok,
    prices.cache_read_micro_per_mtok,
    prices.cache_write_micro_per_mtok,
    ...(parts === undefined ? [] : [sorted(parts)]),
  ];
}

function sorted(prices: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(prices).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
