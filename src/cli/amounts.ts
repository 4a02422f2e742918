import { formatAmount, micro } from "../core/money.ts";

/** An amount of the console API as people read it: `25.00 USD`. */
export function money(amount_micro: number, currency: string): string {
  return `${formatAmount(micro(amount_micro))} ${currency}`;
}

/** The same where the currency is said elsewhere, such as in a table's heading. */
export function plainAmount(amount_micro: number): string {
  return formatAmount(micro(amount_micro));
}
