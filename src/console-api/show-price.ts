import type { ModelPrice } from "../../contract/models.ts";
import type { ClassPrices, Price } from "../core/price.ts";

/** A price without its date: its version, its classes and its tiers. */
export function showPrice(price: Price): ModelPrice {
  return {
    version: price.version,
    ...showClasses(price),
    tiers: price.tiers.map((tier) => ({ above_input_tokens: tier.above_input_tokens, ...showClasses(tier) })),
  };
}

function showClasses(prices: ClassPrices): ClassPrices {
  return {
    input_micro_per_mtok: prices.input_micro_per_mtok,
    output_micro_per_mtok: prices.output_micro_per_mtok,
    cache_read_micro_per_mtok: prices.cache_read_micro_per_mtok,
    cache_write_micro_per_mtok: prices.cache_write_micro_per_mtok,
  };
}
