import { divideRoundingUp } from "../../core/money/money.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";
import { withVersion } from "./price-version.ts";

/** More than a gateway has in force: prices change. */
const MOST_KNOWN = 1000;
const known = new Map<string, Price>();

/**
 * The price list of an answer that is given again: a share of each price, rounded up to a whole micro unit (docs/rulings.md 183). It is one object for
 * one list, as others know what they have made of a price by its object.
 */
export function cachedPrice(price: Price, percent: number): Price {
  const name = `${percent} ${price.version} ${price.from_ms}`;
  let share = known.get(name);
  if (share === undefined) {
    share = makePrice(price, percent);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, share);
  }
  return share;
}

function makePrice(price: Price, percent: number): Price {
  const { version: _, variants: _lists, calls_micro_per_kcall: calls, units_micro: units, ...terms } = price;
  return withVersion({
    ...terms,
    ...shareOf(price, percent),
    tiers: price.tiers.map((tier) => ({ ...tier, ...shareOf(tier, percent) })),
    ...(calls !== undefined && { calls_micro_per_kcall: sharesOf(calls, percent) }),
    ...(units !== undefined && { units_micro: sharesOf(units, percent) }),
    variant: price.variant === undefined ? "cache=hit" : `${price.variant}, cache=hit`,
  });
}

function shareOf(prices: ClassPrices, percent: number): ClassPrices {
  const { parts_micro_per_mtok: parts } = prices;
  return {
    input_micro_per_mtok: share(prices.input_micro_per_mtok, percent),
    output_micro_per_mtok: share(prices.output_micro_per_mtok, percent),
    cache_read_micro_per_mtok: share(prices.cache_read_micro_per_mtok, percent),
    cache_write_micro_per_mtok: share(prices.cache_write_micro_per_mtok, percent),
    ...(parts !== undefined && { parts_micro_per_mtok: sharesOf(parts, percent) }),
  };
}

function sharesOf<Prices extends Readonly<Record<string, number>>>(
  prices: Prices,
  percent: number,
): { [Name in keyof Prices]: number } {
  const shares: { [Name in keyof Prices]: number } = { ...prices };
  for (const name in prices) shares[name] = share(prices[name] ?? 0, percent);
  return shares;
}

function share(price_micro: number, percent: number): number {
  return Number(divideRoundingUp(BigInt(price_micro) * BigInt(percent), 100n));
}
