import type { Receipt } from "../../../../contract/requests.ts";

/** The meaning of each word for how a request stands, as a sentence. */
export const OUTCOME_WORDS: Readonly<Record<Receipt["outcome"], string>> = {
  running: "It runs: what it may cost at most is held.",
  answered: "It was answered, and charged for what it used.",
  failed: "It failed: charged for what was delivered until then, if anything was.",
  left: "Its client left before the answer was whole: charged for what was delivered until then.",
};

/** How a request stands, with its error, as a sentence. */
export function outcomeHint({ outcome, error, status }: Pick<Receipt, "outcome" | "error" | "status">): string {
  const words =
    status === "expired"
      ? "Its hold was still open past its deadline: it was charged for what was recorded."
      : OUTCOME_WORDS[outcome];
  return error === null ? words : `${words}\n${error}`;
}
