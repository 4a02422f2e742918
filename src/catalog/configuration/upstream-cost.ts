import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import { BUNDLED_CURRENCY, bundledModels } from "../bundled/bundled-models.ts";
import { SIMULATOR_ID } from "../bundled/simulated-vendor.ts";
import { vendorOf } from "../names/model-id.ts";
import type { LoadedConfiguration } from "./load-configuration.ts";

/** The source of a model's price: `overridden` is a price of the file that replaces the bundled catalogue's. */
export type PriceSource = "bundled" | "overridden" | "own" | "simulator";

export function priceSourceOf(model: Model, { priced }: LoadedConfiguration): PriceSource {
  if (!priced.has(model.id)) return vendorOf(model.id) === SIMULATOR_ID ? "simulator" : "bundled";
  return hasBundledPrice(model.id) ? "overridden" : "own";
}

function hasBundledPrice(model_id: string): boolean {
  return (bundledModels(vendorOf(model_id)).get(model_id)?.prices?.length ?? 0) > 0;
}

/**
 * The bundled catalogue's prices of a model id; none when the gateway's currency is not the bundled catalogue's
 * (docs/rulings.md 68, 114).
 */
export function bundledPrices(model_id: string, { currency }: Configuration): readonly Price[] {
  if (currency !== BUNDLED_CURRENCY) return [];
  return bundledModels(vendorOf(model_id)).get(model_id)?.prices ?? [];
}
