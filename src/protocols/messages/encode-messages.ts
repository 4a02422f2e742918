import type { AssistantPart, Message, ReasoningPart, ToolMessage } from "../../core/answer/generation.ts";
import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import {
  cacheControl,
  encodeParts,
  encodeResultContent,
  encodeText,
  unsupportedContentError,
} from "./encode-content.ts";
import { inputOf } from "./object-text.ts";
import type { WireBlock, WireText, WireThinking, WireToolResult } from "./wire-blocks.ts";

/** A turn of the conversation; turns alternate between the roles. */
export interface MessageTurn {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

interface EncodedConversation {
  readonly system: readonly WireText[];
  readonly turns: readonly MessageTurn[];
}

/**
 * Encodes a conversation: instructions are separate, wherever they stood; adjacent messages of one role are one turn;
 * tool results come first in their turn, as vendors require; a user's turn comes first, as some vendors require. A
 * conversation of instructions alone becomes a user's turn. `thinks` is false where thinking is turned off: then no
 * thinking block is required (docs/rulings.md 83).
 */
export function encodeConversation(
  messages: readonly Message[],
  quirks: VendorQuirks = {},
  thinks = true,
): EncodedConversation {
  const system: WireText[] = [];
  const turns: OpenTurn[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        for (const part of message.content) for (const block of encodeText(part)) system.push(block);
        break;
      case "user":
        addTo(turns, "user", [], encodeParts(message.content));
        break;
      case "tool":
        addTo(turns, "user", [encodeResult(message)], []);
        break;
      case "assistant":
        addTo(
          turns,
          "assistant",
          [],
          message.content.flatMap((part) => encodeAnswerPart(part, quirks)),
        );
        break;
    }
  }
  if (turns.length === 0 && system.length === 0) throw unsupportedContentError("nothing at all");
  if (turns.length === 0) return { system: [], turns: [{ role: "user", content: system }] };
  if (turns[0]?.role === "assistant")
    turns.unshift({ role: "user", results: [], rest: encodeText({ text: NO_CONTENT }) });
  const adds = takesUnsigned(quirks) && thinks;
  const written = turns.map(({ role, results, rest }) => {
    const added = adds && lacksThinking(rest) ? [unsignedThinking("")] : [];
    return { role, content: [...results, ...added, ...rest] };
  });
  return { system, turns: withoutTrailingSpace(written) };
}

/** Trims the end of a last answer that the model is to continue: vendors refuse white space there. */
function withoutTrailingSpace(turns: readonly MessageTurn[]): readonly MessageTurn[] {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (last === undefined || block?.type !== "text" || block.text === block.text.trimEnd()) return turns;
  const content = [...last.content.slice(0, -1), { ...block, text: block.text.trimEnd() }];
  return [...turns.slice(0, -1), { ...last, content }];
}

interface OpenTurn {
  readonly role: MessageTurn["role"];
  readonly results: WireToolResult[];
  readonly rest: WireBlock[];
}

/** Adds content to a turn. Empty content makes no turn, because vendors refuse empty turns. */
function addTo(turns: OpenTurn[], role: MessageTurn["role"], results: WireToolResult[], rest: WireBlock[]): void {
  if (results.length === 0 && rest.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== role) turns.push({ role, results, rest });
  else {
    for (const block of results) last.results.push(block);
    for (const block of rest) last.rest.push(block);
  }
}

function encodeResult({ call_id, content, is_error, cache }: ToolMessage): WireToolResult {
  return {
    type: "tool_result",
    tool_use_id: call_id,
    content: encodeResultContent(content),
    ...(is_error && { is_error }),
    ...cacheControl(cache),
  };
}

function encodeAnswerPart(part: AssistantPart, quirks: VendorQuirks): WireBlock[] {
  switch (part.type) {
    case "text":
      return encodeText(part);
    case "refusal":
      return encodeText({ text: part.text });
    case "reasoning":
      return encodeReasoning(part, quirks);
    case "tool-call": {
      const { id, name, cache } = part;
      const use = { type: "tool_use", id, name, input: inputOf(part.arguments) } as const;
      return [{ ...use, ...cacheControl(cache) }];
    }
  }
}

/**
 * Signed and redacted reasoning goes back unchanged. Unsigned reasoning is left out, except for the few vendors that
 * accept it.
 */
function encodeReasoning({ text, opaque }: ReasoningPart, quirks: VendorQuirks): WireBlock[] {
  if (opaque?.family !== "anthropic") return takesUnsigned(quirks) && text !== "" ? [unsignedThinking(text)] : [];
  if (opaque.form === "signature") return [{ type: "thinking", thinking: text, signature: opaque.data }];
  return [{ type: "redacted_thinking", data: opaque.data }];
}

/**
 * Thinking for vendors of this protocol that require it back as text and sign nothing (`reasoning_replay`): DeepSeek,
 * Moonshot, Z.ai. Relay and translation share these rules (docs/rulings.md 166).
 */

/** Whether the vendor accepts unsigned thinking, and requires thinking in each answer with tool calls. */
export function takesUnsigned({ reasoning_replay }: VendorQuirks): boolean {
  return reasoning_replay === "reasoning_content";
}

/** A thinking block in the shape of such a vendor. */
export function unsignedThinking(thinking: string): WireThinking {
  return { type: "thinking", thinking, signature: "" };
}

/** Whether an answer calls tools and has no thinking block. */
export function lacksThinking(content: readonly Pick<WireBlock, "type">[]): boolean {
  const has = (type: string) => content.some((block) => block.type === type);
  return has("tool_use") && !has("thinking") && !has("redacted_thinking");
}
