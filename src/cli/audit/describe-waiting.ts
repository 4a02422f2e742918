import { amountText } from "../../../contract/amounts.ts";
import type { Waiting } from "../../core/store/books.ts";
import { counted } from "../shared/table.ts";

/** Tells of operations that an audit did not see, so that nobody takes what they charged for a loss; nothing where there are none. */
export function describeWaiting({ operations, charged_micro }: Waiting): string[] {
  if (operations === 0) return [];
  const charged = charged_micro > 0n ? `, ${amountText(Number(charged_micro))} charged by them` : "";
  return [
    `Not lost, and not in these figures: ${counted(operations, "acknowledged operation")} in the journal${charged}. ` +
      "A gateway that runs writes them to the tables in a moment; where none runs, its next start does.",
  ];
}
