import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";

/** The result for each configuration. A changed credential replaces the configuration, so each is examined once. */
const known = new WeakMap<Configuration, boolean>();

/** Whether any model is free: an account without money may then call it, and the body that names the model has not been read yet. */
export function hasFreeModel(configuration: Configuration): boolean {
  const found = known.get(configuration);
  if (found !== undefined) return found;
  const has_free = configuration.models.values().some(isFree);
  known.set(configuration, has_free);
  return has_free;
}

function isFree({ prices }: Model): boolean {
  return prices.some((price: Price) => [price, ...price.tiers].some(costsNothing));
}

function costsNothing({ input_micro_per_mtok, output_micro_per_mtok }: ClassPrices): boolean {
  return input_micro_per_mtok === 0 && output_micro_per_mtok === 0;
}
