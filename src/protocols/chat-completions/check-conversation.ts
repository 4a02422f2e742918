import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

type ChatMessage = ChatCompletionRequest["messages"][number];
type ChatAssistant = Extract<ChatMessage, { role: "assistant" }>;

/**
 * The rules between and inside messages that a schema cannot express: a tool message answers a tool call of the
 * preceding assistant message, a function message an old `function_call` before it, and an assistant message has content unless it only issues tool calls (docs/api.md 4.1).
 * Throws `tool_call_id_mismatch` and `invalid_messages`.
 */
export function checkConversation(messages: readonly ChatMessage[]): void {
  let preceding: ChatAssistant | null = null;
  const calls = new CallIds();
  const functions = new Set<string>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage;
    if (message.role === "assistant") {
      preceding = message;
      calls.follow(message);
      if (message.function_call) functions.add(message.function_call.name);
      if ((message.content ?? null) === null && !saysSomething(message)) throw emptyMessage(index);
    } else if (message.role === "tool" && !calls.has(message.tool_call_id)) {
      throw mismatch(index, message.tool_call_id, preceding);
    } else if (message.role === "function" && !functions.has(message.name)) {
      throw resultOfNothing(index, message.name);
    }
  }
}

/** Parts of replayed answers that count as content: old function calls, refusals, audio, reasoning without text. */
const OTHER_CONTENT = ["function_call", "refusal", "audio", "reasoning_content", "reasoning", "reasoning_details"];

function saysSomething(message: ChatAssistant): boolean {
  if ((message.tool_calls ?? []).length > 0) return true;
  const fields: JsonRecord = message;
  return OTHER_CONTENT.some((field) => fields[field] !== undefined && fields[field] !== null);
}

/** Up to this many calls, comparing their ids is faster than making a set of them. */
const FEW_CALLS = 8;

/** The ids of the calls of the preceding assistant message. */
class CallIds {
  #calls: NonNullable<ChatAssistant["tool_calls"]> = [];
  #ids: ReadonlySet<string> | null = null;

  follow({ tool_calls }: ChatAssistant): void {
    this.#calls = tool_calls ?? [];
    this.#ids = null;
  }

  has(id: string): boolean {
    if (this.#calls.length <= FEW_CALLS) return this.#calls.some((call) => call.id === id);
    this.#ids ??= new Set(this.#calls.map((call) => call.id));
    return this.#ids.has(id);
  }
}

function emptyMessage(index: number): GatewayError {
  const place = `messages[${index}].content`;
  const message = `'${place}' is null and the message issues no tool calls; allowed: a string, an array of content blocks, or null beside 'tool_calls'.`;
  return new GatewayError("invalid_messages", message, { param: place });
}

function resultOfNothing(index: number, name: string): GatewayError {
  const place = `messages[${index}].name`;
  const found = JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 60)}…`);
  const message = `'${place}' is the string ${found}; allowed: the name of a 'function_call' of an assistant message before it.`;
  return new GatewayError("invalid_messages", message, { param: place });
}

const SHOWN_IDS = 8;

function mismatch(index: number, id: string, preceding: ChatAssistant | null): GatewayError {
  const place = `messages[${index}].tool_call_id`;
  const calls = preceding?.tool_calls ?? [];
  const ids = calls.slice(0, SHOWN_IDS).map((call) => JSON.stringify(call.id.slice(0, 60)));
  const allowed =
    ids.length === 0
      ? "a tool message only after an assistant message with 'tool_calls'"
      : `the id of a tool call of the preceding assistant message (${ids.join(", ")}${calls.length > SHOWN_IDS ? ", …" : ""})`;
  const found = `the string ${JSON.stringify(id.length <= 60 ? id : `${id.slice(0, 60)}…`)}`;
  return new GatewayError("tool_call_id_mismatch", `'${place}' is ${found}; allowed: ${allowed}.`, { param: place });
}
