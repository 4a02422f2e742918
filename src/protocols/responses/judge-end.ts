import type { VendorFailure } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { HALF_CALL, invalidAnswer } from "../shared/endings.ts";
import { isHalfJson } from "../shared/half-json.ts";

const NO_ANSWER = invalidAnswer("The model service sent an answer without content.");

/**
 * Why a response that its vendor calls finished is no answer, or a broken one (docs/rulings.md 172): it has no output and
 * counts no tokens, or a call in it has only the beginning of its arguments. Null for any other; an answer that was cut says
 * so, and may end anywhere. `told` is whether earlier events had an item, `calls` are the arguments that they came to.
 */
export function faultOfEnd(response: JsonRecord, told = false, calls: readonly string[] = []): VendorFailure | null {
  const { status, incomplete_details, usage } = response;
  if (status === "incomplete" || (isObject(incomplete_details) && typeof incomplete_details.reason === "string"))
    return null;
  const output: readonly unknown[] = Array.isArray(response.output) ? response.output : [];
  if (!told && output.length === 0 && !countsTokens(usage)) return NO_ANSWER;
  return output.some(isHalfCall) || calls.some(isHalfJson) ? HALF_CALL : null;
}

/** The failure of an answer with a call whose arguments came in two versions that contradict each other. */
export const CONTRADICTORY_CALL: VendorFailure = invalidAnswer(
  "The model service told the arguments of a tool call in two ways.",
);

function isHalfCall(item: unknown): boolean {
  return (
    isObject(item) && item.type === "function_call" && typeof item.arguments === "string" && isHalfJson(item.arguments)
  );
}

function countsTokens(usage: unknown): boolean {
  return (
    isObject(usage) && [usage.input_tokens, usage.output_tokens].some((count) => typeof count === "number" && count > 0)
  );
}
