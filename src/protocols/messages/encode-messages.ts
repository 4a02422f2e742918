import type { AssistantPart, Message, ReasoningPart, ToolMessage } from "../../core/generation.ts";
import { cacheControl, cannotTake, encodeParts, encodeResultContent, encodeText } from "./encode-content.ts";
import { inputOf } from "./tool-input.ts";
import type { WireBlock, WireText, WireToolResult } from "./wire-blocks.ts";

/** A turn of the conversation; turns alternate between the roles. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

export interface EncodedConversation {
  readonly system: readonly WireText[];
  readonly turns: readonly Turn[];
}

/**
 * A conversation as this style has it: instructions apart, wherever they stood; messages of one role in a row as one
 * turn; results of tools first in theirs, as vendors ask. A conversation of nothing but instructions is what the user says.
 */
export function encodeConversation(messages: readonly Message[]): EncodedConversation {
  const system: WireText[] = [];
  const turns: OpenTurn[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        system.push(...message.content.flatMap(encodeText));
        break;
      case "user":
        addTo(turns, "user", [], encodeParts(message.content));
        break;
      case "tool":
        addTo(turns, "user", [encodeResult(message)], []);
        break;
      case "assistant":
        addTo(turns, "assistant", [], message.content.flatMap(encodeAnswerPart));
        break;
    }
  }
  if (turns.length === 0 && system.length === 0) throw cannotTake("nothing at all");
  if (turns.length === 0) return { system: [], turns: [{ role: "user", content: system }] };
  return {
    system,
    turns: withoutTrailingSpace(turns.map(({ role, results, rest }) => ({ role, content: [...results, ...rest] }))),
  };
}

/** An answer that the model is to go on with must not end in white space. */
function withoutTrailingSpace(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (last === undefined || block?.type !== "text" || block.text === block.text.trimEnd()) return turns;
  const content = [...last.content.slice(0, -1), { ...block, text: block.text.trimEnd() }];
  return [...turns.slice(0, -1), { ...last, content }];
}

interface OpenTurn {
  readonly role: Turn["role"];
  readonly results: WireToolResult[];
  readonly rest: WireBlock[];
}

/** What says nothing makes no turn: vendors refuse empty ones. */
function addTo(turns: OpenTurn[], role: Turn["role"], results: WireToolResult[], rest: WireBlock[]): void {
  if (results.length === 0 && rest.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== role) turns.push({ role, results, rest });
  else {
    last.results.push(...results);
    last.rest.push(...rest);
  }
}

function encodeResult({ call_id, content, is_error, cache }: ToolMessage): WireToolResult {
  return {
    type: "tool_result",
    tool_use_id: vendorsCallId(call_id),
    content: encodeResultContent(content),
    ...(is_error && { is_error }),
    ...cacheControl(cache),
  };
}

function encodeAnswerPart(part: AssistantPart): WireBlock[] {
  switch (part.type) {
    case "text":
      return encodeText(part);
    case "refusal":
      return encodeText({ text: part.text });
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call": {
      const { id, name, cache } = part;
      const use = { type: "tool_use", id: vendorsCallId(id), name, input: inputOf(part.arguments) } as const;
      return [{ ...use, ...cacheControl(cache) }];
    }
  }
}

/** Only signed and redacted reasoning is taken back, as it came; without its signature it would be refused. */
function encodeReasoning({ text, opaque }: ReasoningPart): WireBlock[] {
  if (opaque?.family !== "anthropic") return [];
  if (opaque.form === "signature") return [{ type: "thinking", thinking: text, signature: opaque.data }];
  return [{ type: "redacted_thinking", data: opaque.data }];
}

/** Other vendors' ids of calls may have characters that are refused here: `functions.search:0`. */
function vendorsCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
