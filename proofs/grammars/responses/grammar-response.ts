import { type Fields, isCount, isFields, isFullString, isSame, quote } from "../grammar-values.ts";

/** The members of a response object that strict clients read, even when they are null. */
const MEMBERS = [
  ...["id", "object", "created_at", "completed_at", "status", "incomplete_details", "model", "previous_response_id"],
  ...["instructions", "output", "error", "tools", "tool_choice", "truncation", "parallel_tool_calls", "text", "top_p"],
  ...["temperature", "reasoning", "usage", "max_output_tokens", "store", "background", "metadata"],
];
/** Members that stay equal in all events of a response. */
const FIXED = ["id", "object", "created_at", "model"];

/**
 * The fault of the response object of a life cycle event, or null. `before` is the response of the first event.
 */
export function checkResponse(response: unknown, status: string, before: Fields | null): string | null {
  if (!isFields(response)) return "'response' is no object";
  const missing = MEMBERS.find((name) => response[name] === undefined);
  if (missing !== undefined) return `'response.${missing}' is missing`;
  if (response.object !== "response") return `'response.object' is ${quote(response.object)}`;
  if (!isFullString(response.id)) return "'response.id' is no string with something in it";
  if (!isFullString(response.model)) return "'response.model' is no string with something in it";
  if (!isCount(response.created_at)) return "'response.created_at' is no whole number";
  if (!Array.isArray(response.output)) return "'response.output' is no array";
  if (response.status !== status) return `'response.status' is ${quote(response.status)}; expected ${quote(status)}`;
  const changed = before === null ? undefined : FIXED.find((name) => !isSame(response[name], before[name]));
  return changed === undefined ? checkState(response, status) : `'response.${changed}' changed`;
}

/** Checks the members that say how the response ended. */
function checkState(response: Fields, status: string): string | null {
  const { error, incomplete_details, usage } = response;
  if (status === "failed") {
    if (!isFields(error) || !isFullString(error.code) || typeof error.message !== "string")
      return "'response.error' of a failed response has no code and message";
  } else if (error !== null) return "'response.error' of a response that did not fail is not null";
  if (status === "incomplete") {
    if (!isFields(incomplete_details) || !isFullString(incomplete_details.reason))
      return "'response.incomplete_details' of an incomplete response has no reason";
  } else if (incomplete_details !== null) return "'response.incomplete_details' of another response is not null";
  return usage === null ? null : checkUsage(usage);
}

function checkUsage(usage: unknown): string | null {
  if (!isFields(usage)) return "'response.usage' is neither null nor an object";
  const { input_tokens, output_tokens, total_tokens } = usage;
  const cached = isFields(usage.input_tokens_details) ? usage.input_tokens_details.cached_tokens : null;
  const reasoning = isFields(usage.output_tokens_details) ? usage.output_tokens_details.reasoning_tokens : null;
  if (!isCount(input_tokens) || !isCount(output_tokens) || !isCount(total_tokens))
    return "the usage lacks a count of tokens";
  if (!isCount(cached)) return "the usage lacks 'input_tokens_details.cached_tokens'";
  if (!isCount(reasoning)) return "the usage lacks 'output_tokens_details.reasoning_tokens'";
  if (cached > input_tokens || reasoning > output_tokens) return "the usage has more in a detail than in all";
  return total_tokens === input_tokens + output_tokens ? null : "the usage's total is not its sum";
}
