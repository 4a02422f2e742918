import { BadRequest } from "../../ask.ts";
import { isObject, type Json, objectsOf } from "../read.ts";

/**
 * Checks system messages amid a conversation as Anthropic's API does, with its sentences: a row of them stands after a
 * user's message, or after an assistant's message that ends with the result of a server tool, and before an assistant's
 * message or at the end. A message without content that only configures the output may stand anywhere.
 */
export function checkSystemMessages(messages: readonly Json[], takes_them: boolean): void {
  if (!messages.some(isSystem)) return;
  if (!takes_them) throw new BadRequest("role 'system' is not supported on this model");
  for (const [index, message] of messages.entries()) if (isSystem(message)) checkContent(message, `messages.${index}`);
  for (let start = 0; start < messages.length; start++) {
    if (!isInstruction(messages[start])) continue;
    let end = start + 1;
    while (isSystem(messages[end])) end++;
    checkPlace(messages, start, end);
    start = end;
  }
}

function checkPlace(messages: readonly Json[], start: number, end: number): void {
  const before = messages.slice(0, start).findLast((message) => !isSystem(message));
  if (before === undefined) {
    throw misplaced(start, "use the top-level 'system' parameter for the initial system prompt");
  }
  if (before.role !== "user" && !endsInServerResult(before)) {
    throw misplaced(
      start,
      "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
    );
  }
  if (messages[end] !== undefined && messages[end]?.role !== "assistant") {
    throw misplaced(end - 1, "role 'system' must precede an 'assistant' message or end the array");
  }
}

function misplaced(index: number, rule: string): BadRequest {
  const exception = "the directive-only form (content: [] with output_config) is accepted at any position";
  return new BadRequest(`messages.${index}: ${rule}; ${exception}`);
}

const BLOCKS = ["text", "tool_addition", "tool_removal"];

function checkContent(message: Json, at: string): void {
  const { content } = message;
  if (objectsOf(content).some(({ type }) => typeof type !== "string" || !BLOCKS.includes(type))) {
    throw new BadRequest(`${at}: role 'system' supports text, tool_addition, and tool_removal blocks only`);
  }
  const is_empty = typeof content === "string" ? content === "" : objectsOf(content).length === 0;
  if (is_empty && !isObject(message.output_config)) {
    throw new BadRequest(`${at}: system content must contain at least one block`);
  }
}

function isSystem(message: Json | undefined): boolean {
  return message?.role === "system";
}

/** Whether the message is a system message with content. */
function isInstruction(message: Json | undefined): boolean {
  return isSystem(message) && (typeof message?.content === "string" || objectsOf(message?.content).length > 0);
}

function endsInServerResult({ content }: Json): boolean {
  const type = objectsOf(content).at(-1)?.type;
  return typeof type === "string" && type.endsWith("_tool_result");
}
