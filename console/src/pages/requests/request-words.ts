import type { RefusedRequest } from "../../../../contract/refusals.ts";
import type { Receipt } from "../../../../contract/requests.ts";

/** The meaning of each word for how a request stands, as a sentence. */
const OUTCOME_WORDS: Readonly<Record<Receipt["outcome"], string>> = {
  running: "Running. The most it can cost is held.",
  answered: "Succeeded. Charged for actual usage.",
  failed: "Failed. Charged for what was delivered, if anything.",
  left: "The client disconnected before the answer was complete. Charged for what was delivered.",
};

/** In place of the model that a refused request asked for, where it was judged by its head, as for a limit or an empty wallet (docs/rulings.md 141). */
export const UNREAD_MODEL = "model not read";

/** The variant of a price list by which an answer out of the cache is charged. */
export const STORED = "cache=hit";

/** How a request stands, as the sentence at the head of its receipt. */
export function outcomeSentence(receipt: Pick<Receipt, "outcome" | "error" | "status" | "price">): string {
  if (receipt.price.variant?.includes(STORED)) return "Succeeded with a stored answer. No vendor was called.";
  return outcomeHint(receipt).split("\n")[0] ?? "";
}

/** How a request stands, with its error, as a sentence. */
export function outcomeHint(request: Pick<Receipt, "outcome" | "error" | "status"> | RefusedRequest): string {
  if (request.outcome === "refused") return `Refused before a vendor was called. Free.\n${refusalText(request)}`;
  const { outcome, error, status } = request;
  const words =
    status === "expired" ? "Not settled by its deadline. Charged for what was recorded." : OUTCOME_WORDS[outcome];
  return error === null ? words : `${words}\n${error}`;
}

/** The error of a refused request: status, code and field. */
export function refusalText({
  http_status,
  error,
  param,
}: Pick<RefusedRequest, "http_status" | "error" | "param">): string {
  return `${http_status} ${error}${param === null ? "" : ` (${param})`}`;
}
