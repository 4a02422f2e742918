import { formatAmount, micro } from "../core/money.ts";

/** An amount of the console API as people read it: `25.00 USD`. */
export function money(amount_micro: number, currency: string): string {
  return `${formatAmount(micro(amount_micro))} ${currency}`;
}

/** An amount without its currency, for places that name the currency elsewhere, such as a table's heading. */
export function plainAmount(amount_micro: number): string {
  return formatAmount(micro(amount_micro));
}
