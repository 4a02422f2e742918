import { type Fields, isFields, isFullString, quote } from "../grammar-values.ts";

/** The progress of one choice of a chat stream. */
export interface Choice {
  finished: boolean;
  /** How many tool calls have begun; only the last call may continue. */
  calls: number;
  call_type: string;
  /** Whether a call has begun in the older form of `functions`, which has one call and no id. */
  has_function_call: boolean;
}

const FINISH_REASONS = ["stop", "length", "tool_calls", "function_call", "content_filter"];
const TEXT_FIELDS = ["content", "refusal", "reasoning_content"];

/** Checks the chunk that ends a choice; null for a legal one. */
export function finishChoice(choice: Choice, delta: Fields, reason: unknown): string | null {
  choice.finished = true;
  if (typeof reason !== "string" || !FINISH_REASONS.includes(reason)) return `the finish_reason is ${quote(reason)}`;
  if (Object.keys(delta).length > 0) return "the chunk with the finish_reason has a delta that is not empty";
  if (reason === "tool_calls" && choice.calls === 0) return "the finish_reason is tool_calls and there was none";
  if (reason === "function_call" && !choice.has_function_call)
    return "the finish_reason is function_call and there was none";
  const has_calls = choice.calls > 0 || choice.has_function_call;
  return reason === "stop" && has_calls ? "the finish_reason is stop and there were tool calls" : null;
}

/** Checks a delta; null for a legal one. */
export function checkDelta(choice: Choice, delta: Fields): string | null {
  for (const field of TEXT_FIELDS) {
    const text = delta[field];
    if (text !== undefined && text !== null && typeof text !== "string") return `'delta.${field}' is no string`;
  }
  if (delta.reasoning_details !== undefined && !Array.isArray(delta.reasoning_details))
    return "'delta.reasoning_details' is no array";
  const problem = delta.function_call === undefined ? null : checkFunctionCall(choice, delta.function_call);
  if (problem !== null || delta.tool_calls === undefined) return problem;
  if (!Array.isArray(delta.tool_calls) || delta.tool_calls.length === 0)
    return "'delta.tool_calls' is no array of calls";
  for (const call of delta.tool_calls) {
    const problem = isFields(call) ? checkCall(choice, call) : "a tool call is no object";
    if (problem !== null) return problem;
  }
  return null;
}

/** The name comes once, with the first delta. */
function checkFunctionCall(choice: Choice, call: unknown): string | null {
  if (!isFields(call)) return "'delta.function_call' is no object";
  if (choice.has_function_call && call.name !== undefined) return "a function call's name comes a second time";
  if (!choice.has_function_call && !isFullString(call.name)) return "a function call begins without a name";
  choice.has_function_call = true;
  return typeof call.arguments === "string" ? null : "a function call's 'arguments' is no string";
}

/** `id`, `type` and name come once, with a call's first delta; calls follow each other without overlap. */
function checkCall(choice: Choice, call: Fields): string | null {
  const { index, id, type } = call;
  if (index === choice.calls) {
    choice.calls++;
    if (!isFullString(id)) return "a tool call begins without an id";
    if (type !== "function" && type !== "custom") return `a tool call begins with the type ${quote(type)}`;
    choice.call_type = type;
    const declared = call[type];
    if (!isFields(declared) || !isFullString(declared.name)) return "a tool call begins without a name";
    return checkArguments(choice, declared);
  }
  if (choice.calls === 0 || index !== choice.calls - 1)
    return `a tool call has the index ${quote(index)} where ${choice.calls} have begun`;
  if (id !== undefined || type !== undefined) return "a tool call's id or type comes a second time";
  const declared = call[choice.call_type];
  if (!isFields(declared)) return `a tool call's delta has no '${choice.call_type}'`;
  return declared.name === undefined ? checkArguments(choice, declared) : "a tool call's name comes a second time";
}

function checkArguments({ call_type }: Choice, declared: Fields): string | null {
  const field = call_type === "custom" ? "input" : "arguments";
  return typeof declared[field] === "string" ? null : `a tool call's '${field}' is no string`;
}

/** Whether log probabilities have the public shape. */
export function isLogprobs(value: unknown): boolean {
  return isFields(value) && (value.content === null || Array.isArray(value.content));
}
