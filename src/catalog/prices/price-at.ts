import type { Model } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";

/**
 * The price of a model at a time: the newest price that has taken effect. When every price has a date and all dates lie
 * in the future, the first price applies: a model is never without a price (docs/rulings.md 68).
 */
export function priceAt(model: Pick<Model, "id" | "prices">, now_ms: number): Price {
  const { prices } = model;
  for (let index = prices.length - 1; index > 0; index -= 1) {
    const price = prices[index];
    if (price !== undefined && price.from_ms <= now_ms) return price;
  }
  const [first] = prices;
  if (first === undefined) throw new Error(`${model.id} has no price`);
  return first;
}
