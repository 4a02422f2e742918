import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../core/answer/generation.ts";
import { resultOf } from "../shared/substitute-texts.ts";
import { encodeToolResult, encodeUserContent, joinTexts, type WireObject } from "./encode-content.ts";
import type { MessageDialect } from "./message-dialect.ts";
import { replayCallMembers, replayMembers } from "./replay-reasoning.ts";
import { strictTurns } from "./strict-turns.ts";

/** A conversation as chat messages. Throws `unsupported_parameter` for content that no chat message can hold. */
export function encodeMessages(messages: readonly Message[], dialect: MessageDialect): readonly WireObject[] {
  const encoded: WireObject[] = [];
  let media: WireObject[] = [];
  for (const message of messages) {
    // Results of parallel calls must be adjacent; other messages may come only after the last result.
    if (message.role !== "tool" && media.length > 0) {
      encoded.push({ role: "user", content: media });
      media = [];
    }
    if (message.role === "tool") for (const block of addToolMessage(encoded, message)) media.push(block);
    else encoded.push(encodeMessage(message, dialect));
  }
  if (media.length > 0) encoded.push({ role: "user", content: media });
  return dialect.strict_turns ? strictTurns(encoded) : encoded;
}

function encodeMessage(message: SystemMessage | UserMessage | AssistantMessage, dialect: MessageDialect): WireObject {
  switch (message.role) {
    case "system":
      return encodeSystem(message, dialect);
    case "user":
      return { role: "user", ...nameOf(message), content: encodeUserContent(message.content) };
    case "assistant":
      return encodeAnswer(message, dialect);
  }
}

function encodeSystem({ authority, content }: SystemMessage, { no_developer_role }: MessageDialect): WireObject {
  return { role: no_developer_role ? "system" : authority, content: joinTexts(content) };
}

function nameOf({ name }: { readonly name?: string }): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

/** Appends the tool message and returns the blocks that it cannot hold (docs/rulings.md 74). */
function addToolMessage(encoded: WireObject[], { call_id, content, is_error }: ToolMessage): readonly WireObject[] {
  const { text, media } = encodeToolResult(content, is_error);
  encoded.push({ role: "tool", tool_call_id: call_id, content: text });
  return media.length === 0 ? [] : [{ type: "text", text: resultOf(call_id) }, ...media];
}

function encodeAnswer(message: AssistantMessage, dialect: MessageDialect): WireObject {
  const texts = message.content.filter((part) => part.type === "text");
  const refusals = message.content.filter((part) => part.type === "refusal");
  const calls = message.content.filter((part) => part.type === "tool-call");
  const reasoning = message.content.filter((part) => part.type === "reasoning");
  const text_seal = texts.findLast(({ opaque }) => opaque !== undefined)?.opaque;
  const signed = replayCallMembers(calls, dialect);
  const has_more = refusals.length > 0 || calls.length > 0;
  return {
    role: "assistant",
    ...nameOf(message),
    content: texts.length === 0 && has_more ? null : joinTexts(texts),
    ...(refusals.length > 0 && { refusal: joinTexts(refusals) }),
    ...replayMembers({ reasoning, text_seal, calls }, dialect),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => ({ ...encodeCall(call), ...signed[at] })) }),
  };
}

function encodeCall({ id, name, arguments: text, kind }: ToolCallPart): WireObject {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text } };
  // For a call without arguments too, strict vendors require an object.
  return { id, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
}
