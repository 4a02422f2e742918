import { readAmount } from "../../../../contract/amounts.ts";
import type { ModelProposal } from "../../../../contract/offers.ts";
import { formatAllDigits } from "../../kit/format.ts";

/** A proposal's price in words: "$3.00 / $15.00"; null where it has none. */
export function priceWords(proposal: ModelProposal | undefined, currency: string): string | null {
  const { price } = proposal?.element ?? {};
  if (typeof price !== "object" || price === null) return null;
  const figures = ["input", "output"].flatMap((name) => {
    const figure: unknown = Reflect.get(price, name);
    const read = typeof figure === "string" ? readAmount(figure) : null;
    return read === null || "problem" in read ? [] : [formatAllDigits(read.micro, currency)];
  });
  return figures.length === 0 ? null : figures.join(" / ");
}

/** The source of a proposal's figures: "the list prices.json of 2026-11-20". */
export function sourceWords(proposal: ModelProposal | undefined): string {
  if (proposal === undefined) return "";
  const { kind, name, as_of } = proposal.source;
  const of = as_of === null ? "" : `, ${as_of}`;
  switch (kind) {
    case "list":
      return `${name}${of}`;
    case "vendor":
      return `the vendor's list${of}`;
    case "bundled":
      return `Camino's catalog${of}`;
    case "self_hosted":
      return "your own server: free";
    case "none":
      return "";
  }
}
