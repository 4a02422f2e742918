import type { AssistantPart, Message, ReasoningPart, ToolMessage, UserPart } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";
import { cacheOf, decodeMedia } from "./decode-content.ts";
import { mayLoseDigits, parseExact } from "./exact-json.ts";
import { Seals } from "../shared/seals.ts";
import { readRedacted, readSignature } from "./opaque-values.ts";
import { argumentsOf } from "./tool-input.ts";
import type { WireBlock, WireThinking, WireToolResult, WireToolUse, WireTurn } from "./wire-blocks.ts";

/** A conversation in nobody's dialect. */
export interface DecodedConversation {
  readonly messages: readonly Message[];
  /** Types of blocks that only the vendor who wrote them can read; they were left out. */
  readonly left_out: ReadonlySet<string>;
}

type Content = WireTurn["content"];

/** Decodes `messages`. The blocks were checked when the request came in; `text` is the body they came in. */
export function decodeMessages(turns: readonly WireTurn[], text: string): DecodedConversation {
  const left_out = new Set<string>();
  const inputs = new ExactInputs(text);
  const seals = new Seals();
  const messages: Message[] = [];
  for (const [turn, { role, content }] of turns.entries()) {
    if (role === "user") messages.push(...decodeUser(content, `messages[${turn}].content`));
    else {
      const answer = { seals, message: messages.length, left_out };
      messages.push({ role, content: decodeAssistant(content, (use, block) => inputs.read(use, turn, block), answer) });
    }
  }
  seals.giveTo(messages);
  return { messages, left_out };
}

/** Results of tools are messages of their own, and first: other styles want them right after the calls. */
function decodeUser(content: Content, place: string): Message[] {
  if (typeof content === "string") return [{ role: "user", content: [{ type: "text", text: content }] }];
  const results: ToolMessage[] = [];
  const parts: UserPart[] = [];
  for (const [index, block] of content.entries()) {
    if (block.type === "tool_result") results.push(decodeResult(block, `${place}[${index}]`));
    else parts.push(decodeMedia(block, `${place}[${index}]`));
  }
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: parts }];
}

function decodeResult(block: WireToolResult, place: string): ToolMessage {
  const { tool_use_id, content = "", is_error = false } = block;
  const blocks: readonly WireBlock[] =
    typeof content !== "string" ? content : content === "" ? [] : [{ type: "text", text: content }];
  return {
    role: "tool",
    call_id: tool_use_id,
    content: blocks.map((part, index) => decodeMedia(part, `${place}.content[${index}]`)),
    is_error,
    ...cacheOf(block),
  };
}

type ReadArguments = (use: WireToolUse, block: number) => string;

/** Where an answer stands, and what is gathered from it beside its parts. */
interface AnswerPlace {
  readonly message: number;
  readonly seals: Seals;
  readonly left_out: Set<string>;
}

function decodeAssistant(content: Content, readArguments: ReadArguments, place: AnswerPlace): AssistantPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const parts: AssistantPart[] = [];
  let text_before = -1;
  for (const [index, block] of content.entries()) {
    switch (block.type) {
      case "text":
        text_before = parts.length;
        parts.push({ type: "text", text: block.text, ...cacheOf(block) });
        break;
      case "thinking":
        parts.push(decodeThinking(block));
        break;
      case "redacted_thinking": {
        const redacted = readRedacted(block.data, text_before);
        if (redacted?.kind === "reasoning") parts.push({ type: "reasoning", text: "", opaque: redacted.opaque });
        else if (redacted !== null) {
          place.seals.add(redacted.sealed, redacted.opaque, { message: place.message, part: parts.length });
        }
        break;
      }
      case "tool_use": {
        const { id, name } = block;
        const args = readArguments(block, index);
        parts.push({ type: "tool-call", id, name, arguments: args, kind: "function", ...cacheOf(block) });
        break;
      }
      default:
        place.left_out.add(block.type);
    }
  }
  return parts;
}

function decodeThinking({ thinking, signature = "" }: WireThinking): ReasoningPart {
  if (signature === "") return { type: "reasoning", text: thinking };
  const { opaque, hidden_text } = readSignature(signature);
  return { type: "reasoning", text: thinking || hidden_text, ...(opaque && { opaque }) };
}

/** Arguments of the calls in a body, digit by digit. The body is parsed once more only if a number needs it. */
class ExactInputs {
  readonly #text: string;
  #messages: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  read({ input }: WireToolUse, turn: number, block: number): string {
    const args = argumentsOf(input);
    if (!mayLoseDigits(args)) return args;
    const exact = member(member(this.#body(), turn, "content"), block, "input");
    return isObject(exact) ? argumentsOf(exact) : args;
  }

  #body(): unknown {
    if (this.#messages === undefined) {
      const body = parseExact(this.#text);
      this.#messages = isObject(body) ? body.messages : null;
    }
    return this.#messages;
  }
}

function member(list: unknown, index: number, name: string): unknown {
  const item: unknown = Array.isArray(list) ? list[index] : undefined;
  return isObject(item) ? item[name] : undefined;
}
