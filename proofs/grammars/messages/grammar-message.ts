import { type Fields, isCount, isFields, isFullString, quote } from "../grammar-values.ts";

/** The rules of a message's envelope. Each returns the problem, or null. */

/** Checks the message of the first event, which has no content yet. */
export function checkStartedMessage(message: unknown): string | null {
  if (!isFields(message)) return "'message' is no object";
  if (message.type !== "message") return `'message.type' is ${quote(message.type)}`;
  if (message.role !== "assistant") return `'message.role' is ${quote(message.role)}`;
  const nameless = ["id", "model"].find((name) => !isFullString(message[name]));
  if (nameless !== undefined) return `'message.${nameless}' is no string with something in it`;
  if (!Array.isArray(message.content) || message.content.length > 0) return "'message.content' is not empty yet";
  const ended = ["stop_reason", "stop_sequence"].find((name) => message[name] !== null);
  if (ended !== undefined) return `'message.${ended}' is ${quote(message[ended])} at the start`;
  if (!isFields(message.usage) || !isCount(message.usage.input_tokens)) return "'message.usage' lacks input_tokens";
  return checkUsage(message.usage);
}

const CLASSES = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/** Checks a usage: counts are whole numbers, null or absent. */
export function checkUsage(usage: unknown): string | null {
  if (!isFields(usage) || !isCount(usage.output_tokens)) return "'usage' lacks output_tokens";
  const wrong = CLASSES.find((name) => usage[name] !== undefined && usage[name] !== null && !isCount(usage[name]));
  if (wrong !== undefined) return `'usage.${wrong}' is ${quote(usage[wrong])}`;
  const details = usage.output_tokens_details;
  if (details === undefined || details === null) return null;
  if (!isFields(details) || !isCount(details.thinking_tokens)) return "'usage.output_tokens_details' lacks its count";
  return details.thinking_tokens > usage.output_tokens ? "'usage' has more thinking than output" : null;
}

const STOP_REASONS = [
  ...["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"],
  "model_context_window_exceeded",
];

/** Checks how the message ends, for the number of tool calls in it. A turn without a stop reason has not ended. */
export function checkStop({ stop_reason, stop_sequence }: Fields, calls: number): string | null {
  if (stop_reason !== null && (typeof stop_reason !== "string" || !STOP_REASONS.includes(stop_reason)))
    return `the stop_reason is ${quote(stop_reason)}`;
  if (stop_reason === "stop_sequence" && !isFullString(stop_sequence)) return "no stop_sequence is named";
  if (stop_reason !== "stop_sequence" && stop_sequence !== null)
    return `'stop_sequence' is ${quote(stop_sequence)} where the stop_reason is ${quote(stop_reason)}`;
  if (stop_reason === "tool_use" && calls === 0) return "the stop_reason is tool_use and there was none";
  const hides_calls = calls > 0 && (stop_reason === "end_turn" || stop_reason === "stop_sequence");
  return hides_calls ? `the stop_reason is ${stop_reason} and there were calls of tools` : null;
}

export function checkError({ error }: Fields): string | null {
  if (!isFields(error)) return "'error' is no object";
  const wrong = ["type", "message"].find((name) => typeof error[name] !== "string");
  return wrong === undefined ? null : `'error.${wrong}' is no string`;
}
