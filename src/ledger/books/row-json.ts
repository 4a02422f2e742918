import type { ProgressOp } from "../../core/ledger/ledger.ts";
import { type Micro, micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage, UsageExtra } from "../../core/money/usage.ts";

/** What rows keep as JSON: price lists, the rare part of a usage, and how far a request has come. */

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

/** The rare part of a usage (docs/adr/0018) as a request's row and the journal have it: JSON, and null on nearly all requests. */
export function extraText({ extra }: Usage): string | null {
  return extra === undefined ? null : JSON.stringify(extra);
}

export function readExtra(text: string): UsageExtra {
  return JSON.parse(text);
}

/** How far a running request has come: what a recovery charges when the request's process dies. */
interface RequestProgress {
  readonly model: string;
  readonly price: Price;
  readonly usage: Usage;
  readonly charge_micro: Micro;
}

/** A progress as a request's row keeps it: JSON, with the amount as its digits. */
export function progressText({ model, price, usage, charge_micro }: Pick<ProgressOp, keyof RequestProgress>): string {
  return JSON.stringify({ model, price: frozen(price), usage, charge_micro: charge_micro.toString() });
}

export function readProgress(text: string): RequestProgress {
  const {
    model,
    price,
    usage,
    charge_micro,
  }: Omit<RequestProgress, "charge_micro"> & { readonly charge_micro: string } = JSON.parse(text);
  return { model, price, usage, charge_micro: micro(BigInt(charge_micro)) };
}
