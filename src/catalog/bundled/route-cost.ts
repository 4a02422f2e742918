import type { Configuration, Route } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import { BUNDLED_CURRENCY, bundledModels } from "./bundled-models.ts";

/**
 * The prices that a vendor charges the operator for a route: as the configuration states them, else as the bundled catalogue
 * knows them. None where neither does, or the gateway has another currency than the catalogue.
 */
export function upstreamPrices(
  { vendor, upstream_model, cost }: Route,
  { currency }: Pick<Configuration, "currency">,
): readonly Price[] {
  if (cost !== undefined) return cost;
  if (currency !== BUNDLED_CURRENCY) return [];
  for (const [id, { upstream_model: named, prices }] of bundledModels(vendor)) {
    if ((named ?? id.slice(vendor.length + 1)) === upstream_model) return prices ?? [];
  }
  return [];
}
