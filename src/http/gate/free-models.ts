import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";

/** A changed credential replaces the configuration, so each is looked through once. */
const known = new WeakMap<Configuration, boolean>();

/** Whether a model costs nothing: an empty wallet pays for its calls, and which model is asked for stands in the body. */
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
