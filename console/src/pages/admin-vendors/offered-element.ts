import { readAmount } from "../../../../contract/amounts.ts";
import type { VendorOffer } from "../../../../contract/offers.ts";

/**
 * A model of a vendor's list as an element of the configuration whose price follows the vendor's with a markup. `cost`: the vendor's price, in the
 * currency's units per million tokens, for a model of which none is known.
 */
export function offeredElement(
  { proposals: [proposal] }: Pick<VendorOffer, "proposals">,
  { cost, percent }: { readonly cost: { readonly input: string; readonly output: string }; readonly percent: string },
): Record<string, unknown> {
  const { price: known, ...element } = proposal?.element ?? {};
  const typed = { input: textOf(cost.input), output: textOf(cost.output) };
  return { ...element, cost: known ?? typed, price: { follows: "upstream", markup: { percent } } };
}

function textOf(typed: string): string {
  const read = readAmount(typed);
  return "problem" in read ? typed.trim() : read.text;
}
