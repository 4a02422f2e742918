import type { ClassPrices, Price, PriceTier } from "../core/price.ts";

/** Everything of a price but its name. */
export type PriceTerms = Omit<Price, "version">;

const VERSION_LENGTH = 12;

/**
 * Names a price for receipts: a short hash of its numbers, so that equal prices have equal names wherever and whenever
 * they are read, and any change of a number gives another name. When it takes effect is no part of it.
 */
export function withVersion(terms: PriceTerms): Price {
  const text = JSON.stringify([
    numbersOf(terms),
    terms.tiers.map((tier) => [tier.above_input_tokens, numbersOf(tier)]),
  ]);
  const version = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, VERSION_LENGTH);
  return { version, ...terms };
}

function numbersOf(prices: ClassPrices | PriceTier): number[] {
  return [
    prices.input_micro_per_mtok,
    prices.output_micro_per_mtok,
    prices.cache_read_micro_per_mtok,
    prices.cache_write_micro_per_mtok,
  ];
}
