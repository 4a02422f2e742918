import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolCallPart,
  ToolMessage,
} from "../../core/answer/generation.ts";
import { type JsonRecord, plainText } from "../../core/json.ts";
import { type Content, decodeTextParts, decodeUserParts, onlyInChat } from "./decode-content.ts";
import { signatureIn } from "./extra-content.ts";
import { readReplayed, TEXT_SEAL } from "./reasoning-details.ts";
import { thinkingText } from "./thinking-text.ts";
import type { ChatCompletionRequest } from "./wire-request.ts";

type WireMessage = ChatCompletionRequest["messages"][number];
type WireAssistant = Extract<WireMessage, { role: "assistant" }>;
type WireTool = Extract<WireMessage, { role: "tool" }>;
type WireCall = NonNullable<WireAssistant["tool_calls"]>[number];

/** A chat conversation as neutral messages. Throws `invalid_messages` for content that has no neutral form. */
export function decodeMessages(messages: ChatCompletionRequest["messages"]): Message[] {
  const old_calls: OldCalls = new Map();
  return messages.map((message, index) => decodeMessage(message, index, old_calls));
}

/** The id of the nearest `function_call` of each function so far: calls of that form have no ids (docs/rulings.md 52). */
type OldCalls = Map<string, string>;

function decodeMessage(message: WireMessage, index: number, old_calls: OldCalls): Message {
  const place = `messages[${index}]`;
  const name = typeof message.name === "string" ? { name: message.name } : {};
  switch (message.role) {
    case "system":
    case "developer":
      return {
        role: "system",
        authority: message.role,
        content: decodeTextParts(message.content as Content, `${place}.content`),
      };
    case "user":
      return { role: "user", ...name, content: decodeUserParts(message.content as Content, `${place}.content`) };
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

function decodeTool(message: WireTool, place: string): ToolMessage {
  const parts = decodeUserParts(message.content as Content, `${place}.content`);
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
function decodeAnswer(message: WireAssistant, place: string): AssistantMessage["content"] {
  const fields: JsonRecord = message;
  if (fields.audio) throw onlyInChat(`${place}.audio`, "an answer in sound");
  const calls = message.tool_calls ?? [];
  const { parts, seals } = readReplayed(fields, new Set(calls.map(({ id }) => id)));
  const text = decodeAnswerContent(message.content as Content, `${place}.content`);
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

function decodeAnswerContent(content: Content, place: string): AssistantPart[] {
  if (content === null || content === undefined || typeof content === "string") return decodeTextParts(content, place);
  return content.flatMap((block, index): AssistantPart[] => {
    if (block.type === "refusal") return [{ type: "refusal", text: plainText(block.refusal) }];
    if (block.type === "thinking") return [{ type: "reasoning", text: thinkingText(block.thinking) }];
    return decodeTextParts([block], `${place}[${index}]`);
  });
}

function decodeOldCall({ function_call: call }: WireAssistant, index: number, old_calls: OldCalls): ToolCallPart[] {
  if (!call) return [];
  const id = `function_call_${index}`;
  old_calls.set(call.name, id);
  return [{ type: "tool-call", id, name: call.name, arguments: call.arguments, kind: "function" }];
}

function decodeCall(call: WireCall): ToolCallPart {
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
