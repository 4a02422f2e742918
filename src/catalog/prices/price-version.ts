import type { ClassPrices, Price, PriceTier } from "../../core/money/price.ts";

/** All fields of a price except its version. */
export type PriceTerms = Omit<Price, "version">;

const VERSION_LENGTH = 12;

/**
 * Computes a price's version for receipts: a short hash of its numbers. Equal prices have equal versions wherever and
 * whenever they are read, and any change of a number gives another version. The hash leaves out the date from which the
 * price holds, and its variants, which have versions of their own.
 */
export function withVersion(terms: PriceTerms): Price {
  const { calls_micro_per_kcall: calls, variant } = terms;
  const text = JSON.stringify([
    numbersOf(terms),
    terms.tiers.map((tier) => [tier.above_input_tokens, numbersOf(tier)]),
    // Added only when present, so that prices of only the four classes keep the versions on existing receipts.
    ...(calls === undefined && variant === undefined ? [] : [sorted(calls ?? {}), variant ?? null]),
    ...(terms.units_micro === undefined ? [] : [sorted(terms.units_micro)]),
    ...(terms.per === undefined ? [] : [`per ${terms.per}`]),
  ]);
  const version = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, VERSION_LENGTH);
  return { version, ...terms };
}

/** The list of images of one size and quality, `SIZE/QUALITY`: the usual one but for the price of an image. */
export function imageList(terms: PriceTerms, name: string, price_micro: number): Price {
  return withVersion({
    ...terms,
    units_micro: { ...terms.units_micro, images: price_micro },
    variant: `image=${name}`,
  });
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
