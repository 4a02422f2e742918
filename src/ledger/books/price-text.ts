import type { Price } from "../../core/money/price.ts";

// A catalogue has few prices, and they are immutable: each price is written as text once.
const texts = new WeakMap<Price, string>();

/** The price list that a request is charged by as JSON, without the other lists of its version. */
export function priceText(price: Price): string {
  let text = texts.get(price);
  if (text === undefined) {
    text = JSON.stringify(frozen(price));
    texts.set(price, text);
  }
  return text;
}

export function readPrice(text: string): Price {
  return JSON.parse(text);
}

/** A price list without the other lists of its version. */
export function frozen(price: Price): Price {
  if (price.variants === undefined) return price;
  const { variants: _, ...list } = price;
  return list;
}
