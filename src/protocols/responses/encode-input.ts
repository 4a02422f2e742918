import type {
  AssistantPart,
  Message,
  Opaque,
  ReasoningPart,
  RefusalPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
} from "../../core/answer/generation.ts";
import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import { encodeAnswerContent, encodeResult, encodeUserContent, type WireObject } from "./encode-content.ts";
import { replayedText } from "./reasoning-text.ts";

/** A conversation in the shape of this protocol. */
export interface EncodedInput {
  readonly instructions?: string;
  readonly input: readonly WireObject[];
}

/**
 * Encodes a conversation. Where JSON without a schema is asked for, a message of the input must mention JSON; the
 * `instructions` field does not count for that, so instructions stay in the input. Throws `unsupported_parameter` for
 * content that no item can hold.
 */
export function encodeInput(messages: readonly Message[], quirks: VendorQuirks, wants_json = false): EncodedInput {
  const [first] = messages;
  const has_field = !wants_json && quirks.unsupported_fields?.includes("instructions") !== true;
  const instructions = has_field && first?.role === "system" ? instructionsOf(first) : null;
  const rest = instructions === null ? messages : messages.slice(1);
  const custom_calls = new Set<string>();
  const input = rest.flatMap((message) => encodeMessage(message, quirks, custom_calls));
  return { ...(instructions !== null && { instructions }), input };
}

/** The text of a system message that fits the `instructions` field; null otherwise. */
function instructionsOf({ authority, content }: SystemMessage): string | null {
  return authority === "system" && content.length === 1 ? (content[0]?.text ?? null) : null;
}

function encodeMessage(message: Message, quirks: VendorQuirks, custom_calls: Set<string>): readonly WireObject[] {
  switch (message.role) {
    case "system": {
      const role = quirks.no_developer_role ? "system" : message.authority;
      return messageItem(role, message.content);
    }
    case "user":
      return messageItem("user", message.content);
    case "tool":
      return [encodeToolMessage(message, custom_calls)];
    case "assistant":
      return encodeAnswer(message.content, quirks, custom_calls);
  }
}

function messageItem(role: string, content: Parameters<typeof encodeUserContent>[0]): readonly WireObject[] {
  return content.length === 0 ? [] : [{ type: "message", role, content: encodeUserContent(content) }];
}

function encodeToolMessage(message: ToolMessage, custom_calls: ReadonlySet<string>): WireObject {
  const type = custom_calls.has(message.call_id) ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: message.call_id, output: encodeResult(message) };
}

/** An answer's parts in their order, each an item; consecutive text and refusals are one message. */
function encodeAnswer(parts: readonly AssistantPart[], quirks: VendorQuirks, custom_calls: Set<string>): WireObject[] {
  const items: WireObject[] = [];
  let said: (TextPart | RefusalPart)[] = [];
  const flush = () => {
    if (said.length > 0) items.push({ type: "message", role: "assistant", content: encodeAnswerContent(said) });
    said = [];
  };
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") {
      said.push(part);
      continue;
    }
    flush();
    const encoded = part.type === "reasoning" ? encodeReasoning(part, quirks) : [encodeCall(part, custom_calls)];
    for (const item of encoded) items.push(item);
  }
  flush();
  return withoutLastReasoning(items);
}

/** Vendors refuse reasoning without the output that it led to, as an answer that was cut may have it. */
function withoutLastReasoning(items: readonly WireObject[]): WireObject[] {
  const last = items.findLastIndex(({ type }) => type !== "reasoning");
  return items.slice(0, last + 1);
}

function encodeCall({ id, name, arguments: text, kind }: ToolCallPart, custom_calls: Set<string>): WireObject {
  if (kind === "function") return { type: "function_call", call_id: id, name, arguments: text === "" ? "{}" : text };
  custom_calls.add(id);
  return { type: "custom_tool_call", call_id: id, name, input: text };
}

/** Reasoning goes back encrypted, in the form of the vendor that made it, or as text. */
function encodeReasoning({ text, opaque }: ReasoningPart, quirks: VendorQuirks): readonly WireObject[] {
  return opaque === undefined ? replayedText(text, quirks) : [encryptedItem(text, opaque)];
}

function encryptedItem(text: string, { data, id }: Opaque): WireObject {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { type: "reasoning", ...(id !== undefined && { id }), summary, encrypted_content: data };
}
