import type { ClientProtocol, ClientRequest } from "../../core/answer/exchange.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { AGGREGATOR_RULES, type ChargeTable, chargedMembers, type Rule, tierRule } from "../shared/charged-members.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import { rareEffort } from "../shared/effort.ts";
import { styleAError } from "../shared/error-styles.ts";
import { COMMENT_BEAT } from "../shared/event-frames.ts";
import type { BodyProblem } from "../shared/explain.ts";
import { inputBound } from "../shared/input-bound.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody } from "../shared/parse-json.ts";
import { dataFrame } from "./data-frames.ts";
import type { ChatAssistant, ChatMessage } from "./wire-messages.ts";
import { ChatCompletionRequest } from "./wire-request.ts";

/** The client protocol of chat completions (docs/api.md 4.1, 7.1). */
export const chatCompletions: ClientProtocol = {
  protocol: "chat-completions",
  error_style: "a",
  endpoint: "chat.completions",
  kind: "chat",
  general_error: "unsupported_parameter",
  beat: COMMENT_BEAT,
  failedStream: (error) => dataFrame(styleAError(error)),
  readRequest,
};

/**
 * The chat completions protocol for a gateway that also speaks responses: a body with `input` and no `messages`, which
 * Cursor sends, is read as a responses request by `readResponses` (docs/rulings.md 14b). Such a request is never
 * relayed, because its answer has chat's shape.
 */
export function chatCompletionsWith(readResponses: ClientProtocol["readRequest"]): ClientProtocol {
  return {
    ...chatCompletions,
    readRequest(text, headers) {
      const body = parseBody(text);
      if (!isResponsesBody(body)) return readBody(text, body);
      return { ...readResponses(text, headers), protocol: "responses-in-chat" };
    },
  };
}

const check: BodyCheck<ChatCompletionRequest> = compileBodyCheck(ChatCompletionRequest, codeOf);

/**
 * Checks a body against docs/api.md 4.1 and reads what the pipeline needs from it. Throws `invalid_json`,
 * `invalid_messages`, `unsupported_message_role`, `tool_call_id_mismatch`, and `unsupported_parameter` for all other
 * faults.
 */
function readRequest(text: string): ClientRequest {
  return readBody(text, parseBody(text));
}

function isResponsesBody(body: JsonRecord): boolean {
  return body.input !== undefined && body.messages === undefined;
}

function readBody(text: string, body: Record<string, unknown>): ClientRequest {
  const members = findMembers(text);
  if (isResponsesBody(body)) throw responsesBody();
  checkBounds(text, body);
  check(body);
  checkConversation(body.messages);
  return {
    protocol: "chat-completions",
    model: body.model,
    stream: body.stream === true,
    output_cap: body.max_completion_tokens ?? body.max_tokens ?? null,
    choices: body.n ?? 1,
    input_bound_tokens: inputBound(text, body.messages, (body.tools ?? []).length > 0),
    text,
    body,
    members,
    charged: chargedMembers(body, CHAT_CHARGES),
    ...effortOf(body),
  };
}

/** A search that the request itself asks for: its findings are in the answer, and no usage counts the search. */
const search: Rule = (value, place) =>
  isObject(value)
    ? { place, what: "a search of the web", calls: { web_search: 1 }, once: true, unpriced: "refuse" }
    : null;

/**
 * The members of a chat completions body that change a charge. Tools are functions or custom tools, which the client
 * runs: neither kind is charged for.
 */
const CHAT_CHARGES: ChargeTable = {
  code: "unsupported_parameter",
  read: new Set(Object.keys(ChatCompletionRequest.properties)),
  rules: new Map<string, Rule>([
    ["service_tier", tierRule(["auto", "default", "standard"])],
    ["web_search_options", search],
    ...AGGREGATOR_RULES,
  ]),
};

/** The effort, in chat's own member or in the object of other styles that chat clients send (docs/rulings.md 78). */
function effortOf({ reasoning_effort, reasoning }: JsonRecord) {
  if ((reasoning_effort ?? null) !== null)
    return rareEffort(reasoning_effort, "reasoning_effort", "unsupported_parameter");
  return rareEffort(isObject(reasoning) ? reasoning.effort : null, "reasoning.effort", "unsupported_parameter");
}

/** Which of the endpoint's codes a problem has (docs/api.md 7.1, docs/rulings.md 19a). */
function codeOf(problem: BodyProblem): ErrorCode {
  if (problem.steps[0] !== "messages") return "unsupported_parameter";
  const is_role = problem.steps.length === 3 && problem.steps[2] === "role";
  return is_role && problem.value !== undefined ? "unsupported_message_role" : "invalid_messages";
}

function responsesBody(): GatewayError {
  const message =
    "'messages' is missing and 'input' was found: that is a request for /v1/responses. Allowed here: 'messages'.";
  return new GatewayError("invalid_messages", message, { param: "messages" });
}

/** The members of a message whose arrays hold content blocks and tool calls. */
const HOLDERS = ["content", "tool_calls"];

/** Throws where a body has more messages, blocks, tools or stop sequences than a request may have (docs/api.md 8). */
function checkBounds(text: string, body: JsonRecord): void {
  const code = "unsupported_parameter";
  refuseMore(body.messages, { bound: "messages", place: "messages", of: "messages", code: "invalid_messages" });
  refuseMore(body.tools, { bound: "tools", place: "tools", of: "tools", code });
  refuseMore(body.functions, { bound: "tools", place: "functions", of: "functions", code });
  refuseMore(body.stop, { bound: "stop_sequences", place: "stop", of: "stop sequences", code });
  refuseMoreBlocks(text, body.messages, HOLDERS, { place: "messages", code: "invalid_messages" });
}

/**
 * The rules between and inside messages that a schema cannot express: a tool message answers a tool call of the
 * preceding assistant message, a function message an old `function_call` before it, and an assistant message has content unless it only issues tool calls (docs/api.md 4.1).
 * Throws `tool_call_id_mismatch` and `invalid_messages`.
 */
function checkConversation(messages: readonly ChatMessage[]): void {
  let preceding: ChatAssistant | null = null;
  const calls = new PrecedingCallIds();
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
class PrecedingCallIds {
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
