import type { ClientRequest } from "../../core/answer/exchange.ts";
import type {
  AssistantMessage,
  AssistantPart,
  GenerationRequest,
  Message,
  ReasoningSetting,
  ToolCallPart,
  ToolMessage,
} from "../../core/answer/generation.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { type ChatContent, decodeTextParts, decodeUserParts, onlyInChat, thinkingText } from "./decode-content.ts";
import { decodeFormat, decodeTools, furtherMembers } from "./decode-tools.ts";
import { signatureIn } from "./extra-content.ts";
import { oldFunctions } from "./old-functions.ts";
import { readReplayed, TEXT_SEAL } from "./reasoning-details.ts";
import type { ChatAssistant, ChatMessage } from "./wire-messages.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

type ChatBody = ChatCompletionRequest & JsonRecord;

/**
 * Decodes a chat completions request into its neutral form (docs/api.md 4.1). The body was checked when it arrived.
 * Throws a GatewayError for members that only a vendor of chat completions can honour.
 */
export function decodeRequest({ body: checked, model, stream, output_cap }: ClientRequest): GenerationRequest {
  const body = checked as ChatBody;
  const end_user = body.safety_identifier ?? body.user;
  const format = decodeFormat(body.response_format);
  const reasoning = decodeReasoning(body);
  const stop = typeof body.stop === "string" ? [body.stop] : body.stop;
  return {
    model,
    stream,
    messages: decodeMessages(body.messages),
    ...(oldFunctions(body) ?? decodeTools(body)),
    ...(output_cap !== null && { max_output_tokens: output_cap }),
    ...numbers(body),
    ...(body.logprobs === true && { logprobs: { top: body.top_logprobs ?? 0 } }),
    ...(stop && stop.length > 0 && { stop }),
    ...(format && { format }),
    ...(reasoning && { reasoning }),
    ...(end_user && { end_user }),
    ...(typeof body.parallel_tool_calls === "boolean" && { parallel_tool_calls: body.parallel_tool_calls }),
    ...(typeof body.verbosity === "string" && { verbosity: body.verbosity }),
    ...(typeof body.service_tier === "string" && { service_tier: body.service_tier }),
    ...(typeof body.prompt_cache_key === "string" && { prompt_cache_key: body.prompt_cache_key }),
    ...(isObject(body.metadata) && { metadata: body.metadata }),
    ...(isObject(body.logit_bias) && { logit_bias: body.logit_bias as Record<string, number> }),
    ...(body.stream_options?.include_usage === true && { include_usage: true }),
    extras: extrasOf(body),
  };
}

const NUMBERS = ["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"] as const;

function numbers(body: ChatBody): Partial<Record<(typeof NUMBERS)[number], number>> {
  const said: Partial<Record<(typeof NUMBERS)[number], number>> = {};
  for (const name of NUMBERS) {
    const value = body[name];
    if (typeof value === "number") said[name] = value;
  }
  return said;
}

/** Reads `reasoning_effort`, and the reasoning objects of the two other styles, which chat clients send too. */
function decodeReasoning(body: ChatBody): ReasoningSetting | undefined {
  const effort = body.reasoning_effort;
  if (effort) return { effort };
  const { reasoning, thinking } = body;
  if (isObject(reasoning)) {
    return {
      ...(typeof reasoning.enabled === "boolean" && { enabled: reasoning.enabled }),
      ...(typeof reasoning.effort === "string" && { effort: reasoning.effort }),
      ...(typeof reasoning.max_tokens === "number" && { budget_tokens: reasoning.max_tokens }),
      ...(reasoning.exclude === true && { show: "none" }),
    };
  }
  if (!isObject(thinking)) return undefined;
  const budget = typeof thinking.budget_tokens === "number" ? { budget_tokens: thinking.budget_tokens } : {};
  return { enabled: thinking.type !== "disabled", ...budget };
}

/** Members that are read above, or that do not affect the answer. */
const READ: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "n", "tools", "tool_choice", "parallel_tool_calls"],
  ...["max_completion_tokens", "max_tokens", ...NUMBERS, "logprobs", "top_logprobs", "logit_bias", "stop"],
  ...["response_format", "verbosity", "reasoning_effort", "reasoning", "thinking", "safety_identifier", "user"],
  ...["metadata", "service_tier", "prompt_cache_key", "functions", "function_call"],
]);

/** Values of other parameters that ask for the default behaviour. */
const CHANGES_NOTHING = new Map<string, (value: unknown) => boolean>([
  ["store", (value) => value === false],
  ["modalities", (value) => Array.isArray(value) && value.every((one) => one === "text")],
]);

function extrasOf(body: ChatBody): JsonRecord {
  const extras = Object.entries(body).filter(([name, value]) => {
    return !READ.has(name) && isPresent(value) && CHANGES_NOTHING.get(name)?.(value) !== true;
  });
  if (body.messages.some(hasBreakpoint)) extras.push([BREAKPOINT, true]);
  if (body.messages.some(isNamedInstruction)) extras.push(["messages.name", true]);
  // A client's member may be called `__proto__`, which an assignment would not make a member.
  return Object.fromEntries([...extras, ...furtherMembers(body).map((name) => [name, true])]);
}

/** A mark on a part of a message up to which OpenAI caches: no other protocol is told of it by a chat client. */
const BREAKPOINT = "prompt_cache_breakpoint";

/** Instructions have no name in any other protocol. */
function isNamedInstruction({ role, name }: ChatBody["messages"][number]): boolean {
  return (role === "system" || role === "developer") && isPresent(name);
}

function hasBreakpoint({ content }: JsonRecord): boolean {
  return Array.isArray(content) && content.some((part) => isObject(part) && isPresent(part[BREAKPOINT]));
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

type ChatToolMessage = Extract<ChatMessage, { role: "tool" }>;
type ChatCall = NonNullable<ChatAssistant["tool_calls"]>[number];

/** A chat conversation as neutral messages. Throws `invalid_messages` for content that has no neutral form. */
function decodeMessages(messages: ChatCompletionRequest["messages"]): Message[] {
  const old_calls: OldCalls = new Map();
  return messages.map((message, index) => decodeMessage(message, index, old_calls));
}

/** The id of the nearest `function_call` of each function so far: calls of that form have no ids (docs/rulings.md 52). */
type OldCalls = Map<string, string>;

function decodeMessage(message: ChatMessage, index: number, old_calls: OldCalls): Message {
  const place = `messages[${index}]`;
  const name = typeof message.name === "string" ? { name: message.name } : {};
  switch (message.role) {
    case "system":
    case "developer":
      return {
        role: "system",
        authority: message.role,
        content: decodeTextParts(message.content as ChatContent, `${place}.content`),
      };
    case "user":
      return { role: "user", ...name, content: decodeUserParts(message.content as ChatContent, `${place}.content`) };
    case "tool":
      return decodeTool(message, place);
    case "function":
      return {
        role: "tool",
        call_id: old_calls.get(message.name) ?? "",
        content: decodeTextParts(message.content ?? "", `${place}.content`),
        is_error: false,
      };
    case "assistant":
      return {
        role: "assistant",
        ...name,
        content: [...decodeAnswer(message, place), ...decodeOldCall(message, index, old_calls)],
      };
  }
}

function decodeTool(message: ChatToolMessage, place: string): ToolMessage {
  const parts = decodeUserParts(message.content as ChatContent, `${place}.content`);
  const content = parts.map((part, index) => {
    if (part.type === "audio" || part.type === "video")
      throw onlyInChat(`${place}.content[${index}]`, `${part.type} in a tool's result`);
    return part;
  });
  return { role: "tool", call_id: message.tool_call_id, content, is_error: false };
}

/**
 * An answer that a client sends back: chat has reasoning, text, refusal and calls as members; the parts here follow
 * that order.
 */
function decodeAnswer(message: ChatAssistant, place: string): AssistantMessage["content"] {
  const fields: JsonRecord = message;
  if (fields.audio) throw onlyInChat(`${place}.audio`, "an answer in sound");
  const calls = message.tool_calls ?? [];
  const { parts, seals } = readReplayed(fields, new Set(calls.map(({ id }) => id)));
  const text = decodeAnswerContent(message.content as ChatContent, `${place}.content`);
  const thought = text.filter(({ type }) => type === "reasoning");
  const said = text.filter(({ type }) => type !== "reasoning");
  const seal = seals.get(TEXT_SEAL);
  const last = said.findLastIndex(({ type }) => type === "text");
  if (seal !== undefined && last !== -1) said[last] = { ...said[last], opaque: seal } as AssistantPart;
  const refusal: AssistantPart[] =
    typeof fields.refusal === "string" && fields.refusal !== "" ? [{ type: "refusal", text: fields.refusal }] : [];
  const called = calls.map((call): ToolCallPart => {
    const opaque = signatureIn(call) ?? seals.get(call.id);
    return { ...decodeCall(call), ...(opaque && { opaque }) };
  });
  return [...(parts.length > 0 ? parts : thought), ...said, ...refusal, ...called];
}

function decodeAnswerContent(content: ChatContent, place: string): AssistantPart[] {
  if (content === null || content === undefined || typeof content === "string") return decodeTextParts(content, place);
  return content.flatMap((block, index): AssistantPart[] => {
    if (block.type === "refusal") return [{ type: "refusal", text: plainText(block.refusal) }];
    if (block.type === "thinking") return [{ type: "reasoning", text: thinkingText(block.thinking) }];
    return decodeTextParts([block], `${place}[${index}]`);
  });
}

function decodeOldCall({ function_call: call }: ChatAssistant, index: number, old_calls: OldCalls): ToolCallPart[] {
  if (!call) return [];
  const id = `function_call_${index}`;
  old_calls.set(call.name, id);
  return [{ type: "tool-call", id, name: call.name, arguments: call.arguments, kind: "function" }];
}

function decodeCall(call: ChatCall): ToolCallPart {
  if (call.type === "custom")
    return { type: "tool-call", id: call.id, name: call.custom.name, arguments: call.custom.input, kind: "custom" };
  return {
    type: "tool-call",
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    kind: "function",
  };
}
