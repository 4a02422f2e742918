import type {
  AssistantPart,
  ImagePart,
  Message,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolMessage,
  ToolResultPart,
  UserPart,
} from "../../core/answer/generation.ts";
import { isObject } from "../../core/json.ts";
import { mayLoseDigits, parseExact } from "../shared/exact-json.ts";
import { Seals } from "../shared/seals.ts";
import { carryDocument } from "./carry-document.ts";
import { cacheOf, decodeDocument, decodeMedia } from "./decode-content.ts";
import { argumentsOf } from "./object-text.ts";
import { readRedacted, readSignature } from "./opaque-values.ts";
import { lastOfUser, readSystemTurn } from "./system-turns.ts";
import type {
  WireBlock,
  WireMessage,
  WireSystemTurn,
  WireThinking,
  WireToolResult,
  WireToolUse,
  WireTurn,
} from "./wire-blocks.ts";

/** A conversation in neutral form. */
export interface DecodedConversation {
  readonly messages: readonly Message[];
  /**
   * Types of blocks that were left out: no other protocol has them, or only the vendor that wrote them can read them.
   */
  readonly left_out: ReadonlySet<string>;
}

type TurnContent = WireTurn["content"];

/** Decodes `messages`. The blocks were checked when the request arrived; `text` is the body's text. */
export function decodeMessages(turns: readonly WireMessage[], text: string): DecodedConversation {
  const left_out = new Set<string>();
  const inputs = new ExactInputs(text);
  const seals = new Seals();
  const last_of_user = lastOfUser(turns);
  const messages: Message[] = [];
  let instructions: SystemMessage[] = [];
  for (const [turn, message] of turns.entries()) {
    if (message.role === "system") {
      for (const said of decodeSystemTurn(message, turn > last_of_user, left_out)) instructions.push(said);
      continue;
    }
    if (message.role === "user") {
      const { results, rest } = decodeUser(message.content, `messages[${turn}].content`, left_out);
      // Every protocol requires tool results right after their calls.
      for (const row of [results, instructions, rest]) for (const said of row) messages.push(said);
    } else {
      for (const said of instructions) messages.push(said);
      const answer = { seals, message: messages.length, left_out };
      const content = decodeAssistant(message.content, (use, block) => inputs.read(use, turn, block), answer);
      messages.push({ role: "assistant", content });
    }
    instructions = [];
  }
  for (const said of instructions) messages.push(said);
  seals.giveTo(messages);
  return { messages, left_out };
}

function decodeSystemTurn(turn: WireSystemTurn, is_last_word: boolean, left_out: Set<string>): SystemMessage[] {
  const said = readSystemTurn(turn, is_last_word);
  for (const what of said.left_out) left_out.add(what);
  if (said.texts.length === 0) return [];
  const content = said.texts.map((block) => ({ type: "text" as const, text: block.text, ...cacheOf(block) }));
  return [{ role: "system", authority: "system", in_place: true, content }];
}

/** A user's turn: its tool results become messages of their own, and come first. */
interface DecodedTurn {
  readonly results: readonly ToolMessage[];
  readonly rest: readonly Message[];
}

function decodeUser(content: TurnContent, place: string, left_out: Set<string>): DecodedTurn {
  if (typeof content === "string") {
    return { results: [], rest: [{ role: "user", content: [{ type: "text", text: content }] }] };
  }
  const results: ToolMessage[] = [];
  const parts: UserPart[] = [];
  for (const [index, block] of content.entries()) {
    if (block.type === "tool_result") results.push(decodeResult(block, `${place}[${index}]`, left_out));
    else if (block.type === "document") for (const part of decodeDocument(block, left_out)) parts.push(part);
    else parts.push(decodePart(block, `${place}[${index}]`, left_out));
  }
  if (parts.length === 0 && results.length > 0) return { results, rest: [] };
  return { results, rest: [{ role: "user", content: parts }] };
}

function decodeResult(block: WireToolResult, place: string, left_out: Set<string>): ToolMessage {
  const { tool_use_id, content = "", is_error = false } = block;
  const blocks: readonly WireBlock[] =
    typeof content !== "string" ? content : content === "" ? [] : [{ type: "text", text: content }];
  return {
    role: "tool",
    call_id: tool_use_id,
    content: blocks.flatMap((part, index) => decodeResultPart(part, `${place}.content[${index}]`, left_out)),
    is_error,
    ...cacheOf(block),
  };
}

function decodeResultPart(part: WireBlock, place: string, left_out: Set<string>): ToolResultPart[] {
  if (part.type !== "document") return [decodePart(part, place, left_out)];
  const carried = carryDocument(part);
  for (const what of carried.left_out) left_out.add(what);
  return carried.blocks.map((block) => decodeMedia(block, place));
}

function decodePart(block: WireBlock, place: string, left_out: Set<string>): TextPart | ImagePart {
  if (block.type === "image" && (block.transformations ?? null) !== null) left_out.add("transformations");
  return decodeMedia(block, place);
}

type ReadArguments = (use: WireToolUse, block: number) => string;

/** The place of an answer, and what is collected from it besides its parts. */
interface AnswerPlace {
  readonly message: number;
  readonly seals: Seals;
  readonly left_out: Set<string>;
}

function decodeAssistant(content: TurnContent, readArguments: ReadArguments, place: AnswerPlace): AssistantPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const parts: AssistantPart[] = [];
  for (const [index, block] of content.entries()) {
    switch (block.type) {
      case "text":
        parts.push({ type: "text", text: block.text, ...cacheOf(block) });
        break;
      case "thinking":
        parts.push(decodeThinking(block));
        break;
      case "redacted_thinking": {
        const redacted = readRedacted(block.data);
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

function decodeThinking({ thinking, signature }: WireThinking): ReasoningPart {
  if (signature === undefined || signature === null || signature === "") return { type: "reasoning", text: thinking };
  const { opaque, hidden_text } = readSignature(signature);
  return { type: "reasoning", text: thinking || hidden_text, ...(opaque && { opaque }) };
}

/**
 * The arguments of the calls in a body, with every digit of their numbers. The body is parsed again only if it has a
 * number that a double cannot hold.
 */
class ExactInputs {
  readonly #text: string;
  #may_lose_digits: boolean | null = null;
  #messages: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  read({ input }: WireToolUse, turn: number, block: number): string {
    const args = argumentsOf(input);
    this.#may_lose_digits ??= mayLoseDigits(this.#text);
    if (!this.#may_lose_digits) return args;
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
