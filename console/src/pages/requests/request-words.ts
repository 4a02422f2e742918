import type { Receipt } from "../../../../contract/requests.ts";

/** The meaning of each word for how a request stands, as a sentence. */
export const OUTCOME_WORDS: Readonly<Record<Receipt["outcome"], string>> = {
  running: "Running. The most it can cost is held.",
  answered: "Succeeded. Charged for actual usage.",
  failed: "Failed. Charged for what was delivered, if anything.",
  left: "The client disconnected before the answer was complete. Charged for what was delivered.",
};

/** How a request stands, with its error, as a sentence. */
export function outcomeHint({ outcome, error, status }: Pick<Receipt, "outcome" | "error" | "status">): string {
  const words =
    status === "expired" ? "Not settled by its deadline. Charged for what was recorded." : OUTCOME_WORDS[outcome];
  return error === null ? words : `${words}\n${error}`;
}
