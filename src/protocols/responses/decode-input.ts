import type { AssistantPart, Message, Opaque, Tool, ToolCallPart, ToolMessage } from "../../core/generation.ts";
import { summaryIn } from "./compaction.ts";
import {
  type Block,
  type Content,
  decodeAnswerParts,
  decodeResultParts,
  decodeTexts,
  decodeUserParts,
} from "./decode-content.ts";
import { decodeTools } from "./decode-tools.ts";
import { bringsTools, nameOf } from "./namespaces.ts";
import { onlyInResponses } from "./only-in-responses.ts";
import { readEncrypted } from "./seal.ts";

type Item = Readonly<Record<string, unknown>>;

/** An input in nobody's dialect. */
export interface DecodedInput {
  readonly messages: readonly Message[];
  /** Tools that items of the conversation bring with them. */
  readonly tools: readonly Tool[];
  /** Types of items that were left out: work of hosted tools, whose outcome is in the text that follows it. */
  readonly left_out: readonly string[];
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
  "tool_search_call",
]);

/** Decodes `instructions` and `input`. Throws a GatewayError for items that only a vendor of this protocol can read. */
export function decodeInput(instructions: unknown, input: unknown): DecodedInput {
  const conversation = new Conversation();
  if (typeof instructions === "string" && instructions !== "")
    conversation.messages.push({ role: "system", authority: "system", content: decodeTexts(instructions, "") });
  if (typeof input === "string") conversation.messages.push({ role: "user", content: decodeUserParts(input, "") });
  if (Array.isArray(input)) for (const [index, item] of input.entries()) conversation.take(item, `input[${index}]`);
  return conversation;
}

/** The items so far. All that a model wrote in a row (reasoning, text, calls) is one answer. */
class Conversation implements DecodedInput {
  readonly messages: Message[] = [];
  readonly tools: Tool[] = [];
  readonly left_out: string[] = [];

  take(item: Item, place: string): void {
    switch (item.type ?? (item.role === undefined ? "item_reference" : "message")) {
      case "message":
        return this.#takeMessage(item, place);
      case "reasoning":
        return this.#takeReasoning(item);
      case "function_call":
        this.#answer().push(callOf(item, "function", item.arguments));
        return;
      case "custom_tool_call":
        this.#answer().push(callOf(item, "custom", item.input));
        return;
      case "function_call_output":
      case "custom_tool_call_output":
        this.messages.push(resultOf(item, place));
        return;
      default:
        return this.#takeHosted(item, place);
    }
  }

  #takeMessage({ role, content }: Item, place: string): void {
    const parts = content as Content;
    const where = `${place}.content`;
    if (role === "assistant") this.#answer().push(...decodeAnswerParts(parts, where));
    else if (role === "user") this.messages.push({ role, content: decodeUserParts(parts, where) });
    else {
      const authority = role === "developer" ? "developer" : "system";
      this.messages.push({ role: "system", authority, content: decodeTexts(parts, where) });
    }
  }

  #takeReasoning(item: Item): void {
    const content = typeof item.encrypted_content === "string" ? item.encrypted_content : "";
    const encrypted = content === "" ? null : readEncrypted(content, typeof item.id === "string" ? item.id : null);
    const text = reasoningText(item);
    if (encrypted?.kind === "seal") this.#seal(encrypted.call_id, encrypted.opaque);
    else if (encrypted !== null) this.#answer().push({ type: "reasoning", text, opaque: encrypted.opaque });
    else if (text !== "") this.#answer().push({ type: "reasoning", text });
  }

  #takeHosted(item: Item, place: string): void {
    const type = String(item.type ?? "item_reference");
    const summary = summaryIn(item);
    if (summary !== null) this.messages.push({ role: "user", content: [{ type: "text", text: summary }] });
    // What is asked for is written behind everything else; one that is not last was answered before.
    else if (type === "compaction_trigger") return;
    else if (bringsTools(item)) this.tools.push(...decodeTools(item.tools));
    else if (LEFT_OUT.has(type)) this.left_out.push(type);
    else throw onlyInResponses(place, `an item of the type ${JSON.stringify(type)}`);
  }

  /** Gives a call, or the last text, back what its vendor signed. A seal whose call is gone means nothing. */
  #seal(call_id: string | null, opaque: Opaque): void {
    for (const message of this.messages.toReversed()) {
      if (message.role !== "assistant") continue;
      const parts = message.content as AssistantPart[];
      const at = parts.findLastIndex((part) =>
        call_id === null ? part.type === "text" : part.type === "tool-call" && part.id === call_id,
      );
      const part = parts[at];
      if (part === undefined) continue;
      parts[at] = { ...part, opaque } as AssistantPart;
      return;
    }
  }

  /** The parts of the answer that is being read, a new one after anything else. */
  #answer(): AssistantPart[] {
    const last = this.messages.at(-1);
    if (last?.role === "assistant") return last.content as AssistantPart[];
    const content: AssistantPart[] = [];
    this.messages.push({ role: "assistant", content });
    return content;
  }
}

function callOf(item: Item, kind: ToolCallPart["kind"], text: unknown): ToolCallPart {
  return { type: "tool-call", id: String(item.call_id), name: nameOf(item), arguments: String(text), kind };
}

/** An output that did not come to its end is the nearest that this style has to an error. */
function resultOf(item: Item, place: string): ToolMessage {
  return {
    role: "tool",
    call_id: String(item.call_id),
    content: decodeResultParts(item.output as Content, `${place}.output`),
    is_error: item.status === "incomplete",
  };
}

/** The model's own words where they are there, else the parts of their summary. */
function reasoningText({ content, summary }: Item): string {
  const own = textsOf(content);
  return (own.length > 0 ? own : textsOf(summary)).join("\n\n");
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return (parts as Block[]).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}
