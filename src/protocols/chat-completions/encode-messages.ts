import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../core/generation.ts";
import { encodeToolResult, encodeUserContent, joinTexts, type Wire } from "./encode-content.ts";
import type { MessageDialect } from "./message-dialect.ts";
import { replayCallMembers, replayMembers } from "./replay-reasoning.ts";
import { strictTurns } from "./strict-turns.ts";

/** A conversation as chat has it. Throws `unsupported_parameter` for what no message of chat can hold. */
export function encodeMessages(messages: readonly Message[], dialect: MessageDialect): readonly Wire[] {
  const encoded: Wire[] = [];
  let media: Wire[] = [];
  for (const message of messages) {
    // Results of parallel calls stand in a row; only behind the last of them may anything else come.
    if (message.role !== "tool" && media.length > 0) {
      encoded.push({ role: "user", content: media });
      media = [];
    }
    if (message.role === "tool") media.push(...addToolMessage(encoded, message));
    else encoded.push(encodeMessage(message, dialect));
  }
  if (media.length > 0) encoded.push({ role: "user", content: media });
  return dialect.strict_turns ? strictTurns(encoded) : encoded;
}

function encodeMessage(message: SystemMessage | UserMessage | AssistantMessage, dialect: MessageDialect): Wire {
  switch (message.role) {
    case "system":
      return encodeSystem(message, dialect);
    case "user":
      return { role: "user", ...nameOf(message), content: encodeUserContent(message.content) };
    case "assistant":
      return encodeAnswer(message, dialect);
  }
}

function encodeSystem({ authority, content }: SystemMessage, { no_developer_role }: MessageDialect): Wire {
  return { role: no_developer_role ? "system" : authority, content: joinTexts(content) };
}

function nameOf({ name }: { readonly name?: string }): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

/** Puts the message among the others and returns the blocks that it cannot hold. */
function addToolMessage(encoded: Wire[], { call_id, content, is_error }: ToolMessage): readonly Wire[] {
  const { text, media } = encodeToolResult(content, is_error);
  encoded.push({ role: "tool", tool_call_id: shortId(call_id), content: text });
  return media.length === 0 ? [] : [{ type: "text", text: `The result of the tool call ${call_id}:` }, ...media];
}

function encodeAnswer(message: AssistantMessage, dialect: MessageDialect): Wire {
  const texts = message.content.filter((part) => part.type === "text");
  const refusals = message.content.filter((part) => part.type === "refusal");
  const calls = message.content
    .filter((part) => part.type === "tool-call")
    .map((call) => ({ ...call, id: shortId(call.id) }));
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

/** Ids of calls are no longer than this on chat; other vendors' are. */
const MAX_CALL_ID_LENGTH = 40;

/** The same short id for the same long one, so that results still find their calls. */
function shortId(id: string): string {
  return id.length <= MAX_CALL_ID_LENGTH ? id : `call_${Bun.hash(id).toString(36)}`;
}

function encodeCall({ id, name, arguments: text, kind }: ToolCallPart): Wire {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text } };
  // A call without arguments: strict vendors want an object all the same.
  return { id, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
}
