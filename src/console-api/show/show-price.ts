import type { ModelPrice } from "../../../contract/models.ts";
import type { Price, PriceVariants } from "../../core/price.ts";
import { priceObject } from "../../ledger/receipt.ts";

/** A price without its date: its version, classes and tiers, and the price lists of its variants. */
export function showPrice(price: Price): ModelPrice {
  const { variants } = price;
  return { ...priceObject(price), ...(variants !== undefined && { variants: showVariants(variants) }) };
}

function showVariants({ service_tiers, speeds, residency_millionths: factors }: PriceVariants) {
  return {
    service_tiers: Object.values(service_tiers ?? {}).map(priceObject),
    speeds: Object.values(speeds ?? {}).map(priceObject),
    residency: Object.fromEntries(Object.entries(factors ?? {}).map(([place, factor]) => [place, factor / 1_000_000])),
  };
}
