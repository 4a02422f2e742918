import type { VendorQuirks } from "../../core/catalog.ts";
import type {
  AssistantMessage,
  Message,
  Opaque,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../core/generation.ts";
import { encodeToolResult, encodeUserContent, joinTexts, type Wire } from "./encode-content.ts";
import { type ReasoningDetail, reasoningDetails, sealDetail, TEXT_SEAL } from "./reasoning-details.ts";

/** A conversation as chat has it. Throws `unsupported_parameter` for what no message of chat can hold. */
export function encodeMessages(messages: readonly Message[], quirks: VendorQuirks): readonly Wire[] {
  const encoded: Wire[] = [];
  let media: Wire[] = [];
  for (const message of messages) {
    // Results of parallel calls stand in a row; only behind the last of them may anything else come.
    if (message.role !== "tool" && media.length > 0) {
      encoded.push({ role: "user", content: media });
      media = [];
    }
    if (message.role === "tool") media.push(...addToolMessage(encoded, message));
    else encoded.push(encodeMessage(message, quirks));
  }
  if (media.length > 0) encoded.push({ role: "user", content: media });
  return encoded;
}

function encodeMessage(message: SystemMessage | UserMessage | AssistantMessage, quirks: VendorQuirks): Wire {
  switch (message.role) {
    case "system":
      return encodeSystem(message, quirks);
    case "user":
      return { role: "user", ...nameOf(message), content: encodeUserContent(message.content) };
    case "assistant":
      return encodeAnswer(message, quirks);
  }
}

function encodeSystem({ authority, content }: SystemMessage, { no_developer_role }: VendorQuirks): Wire {
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

function encodeAnswer(message: AssistantMessage, { reasoning_replay }: VendorQuirks): Wire {
  const texts = message.content.filter((part) => part.type === "text");
  const refusals = message.content.filter((part) => part.type === "refusal");
  const calls = message.content.filter((part) => part.type === "tool-call");
  const has_more = refusals.length > 0 || calls.length > 0;
  return {
    role: "assistant",
    ...nameOf(message),
    content: texts.length === 0 && has_more ? null : joinTexts(texts),
    ...(refusals.length > 0 && { refusal: joinTexts(refusals) }),
    ...(reasoning_replay !== undefined && replayed(message, reasoning_replay)),
    ...(calls.length > 0 && { tool_calls: calls.map(encodeCall) }),
  };
}

/** Ids of calls are no longer than this on chat; other vendors' are. */
const MAX_CALL_ID_LENGTH = 40;

/** The same short id for the same long one, so that results still find their calls. */
function shortId(id: string): string {
  return id.length <= MAX_CALL_ID_LENGTH ? id : `call_${Bun.hash(id).toString(36)}`;
}

function encodeCall({ id: given, name, arguments: text, kind }: ToolCallPart): Wire {
  const id = shortId(given);
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text } };
  // A call without arguments: strict vendors want an object all the same.
  return { id, type: "function", function: { name, arguments: text === "" ? "{}" : text } };
}

/** Reasoning in the one of its shapes that the vendor takes back. */
function replayed({ content }: AssistantMessage, shape: NonNullable<VendorQuirks["reasoning_replay"]>): Wire {
  const parts = content.filter((part) => part.type === "reasoning");
  const text = parts.map((part) => part.text).join("");
  const calls = content.filter((part) => part.type === "tool-call");
  // Beside calls of tools these vendors refuse an answer without the field; clients that kept no reasoning have an empty one.
  if (shape === "reasoning_content") return text === "" && calls.length === 0 ? {} : { reasoning_content: text };
  const texts = content.filter((part) => part.type === "text");
  const details = allDetails(parts, texts, calls);
  return details.length === 0 ? {} : { reasoning_details: details };
}

function allDetails(
  parts: readonly ReasoningPart[],
  texts: readonly TextPart[],
  calls: readonly ToolCallPart[],
): readonly ReasoningDetail[] {
  const details: ReasoningDetail[] = [];
  const seal = (opaque: Opaque | undefined, id: string) => {
    if (opaque !== undefined) details.push(sealDetail(opaque, id, details.length));
  };
  for (const { text, opaque } of parts) details.push(...reasoningDetails(text, opaque, details.length));
  seal(texts.findLast(({ opaque }) => opaque !== undefined)?.opaque, TEXT_SEAL);
  for (const call of calls) seal(call.opaque, shortId(call.id));
  return details;
}
