import { amountText } from "../../contract/amounts.ts";

/** An amount of the console API as people read it: `25.00 USD`. */
export function money(amount_micro: number, currency: string): string {
  return `${amountText(amount_micro)} ${currency}`;
}
