import type {
  AssistantPart,
  CacheHint,
  DocumentPart,
  ImagePart,
  MediaSource,
  Message,
  RefusalPart,
  TextPart,
  Tool,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { sourceOfUrl } from "../shared/data-url.ts";
import { historyRole, historyText } from "../shared/history-items.ts";
import { type SealPlace, Seals } from "../shared/seals.ts";
import { summaryIn } from "./compaction.ts";
import { decodeTools } from "./decode-tools.ts";
import { bringsTools, nameOf } from "./namespaces.ts";
import { reasoningText } from "./relayed-input.ts";
import { readEncrypted } from "./seal.ts";
import { onlyInResponses } from "./unsupported-feature.ts";

/** An input in its neutral form. */
export interface DecodedInput {
  readonly messages: readonly Message[];
  /** Tools that items of the conversation bring with them. */
  readonly tools: readonly Tool[];
  /** Types of items that were left out or carried as text (docs/rulings.md 80). */
  readonly left_out: readonly string[];
}

/** Decodes `instructions` and `input`. Throws a GatewayError for items that only a vendor of this protocol can read. */
export function decodeInput(instructions: unknown, input: unknown): DecodedInput {
  const conversation = new InputDecoder();
  if (typeof instructions === "string" && instructions !== "")
    conversation.messages.push({ role: "system", authority: "system", content: decodeTextParts(instructions, "") });
  if (typeof input === "string") conversation.messages.push({ role: "user", content: decodeUserParts(input, "") });
  if (Array.isArray(input)) for (const [index, item] of input.entries()) conversation.take(item, `input[${index}]`);
  conversation.end();
  return conversation;
}

/** The items so far. Consecutive items of a model (reasoning, text, calls) are one answer. */
class InputDecoder implements DecodedInput {
  readonly messages: Message[] = [];
  readonly tools: Tool[] = [];
  readonly left_out: string[] = [];
  readonly #seals = new Seals();
  readonly #open = new OpenCalls();

  /** Ends the conversation: each seal is attached to the call or text that it names. */
  end(): void {
    this.#seals.giveTo(this.messages);
  }

  take(item: JsonRecord, place: string): void {
    switch (item.type ?? (item.role === undefined ? "item_reference" : "message")) {
      case "message":
        return this.#takeMessage(item, place);
      case "reasoning":
        return this.#takeReasoning(item);
      case "function_call":
        return this.#takeCall(callOf(item, "function", item.arguments));
      case "custom_tool_call":
        return this.#takeCall(callOf(item, "custom", item.input));
      case "function_call_output":
      case "custom_tool_call_output":
        this.messages.push(resultOf(item, this.#open.answered(item, place), place));
        return;
      default:
        return this.#takeHosted(item, place);
    }
  }

  #takeCall(call: ToolCallPart): void {
    this.#answer().push(call);
    this.#open.add(call);
  }

  #takeMessage({ role, content }: JsonRecord, place: string): void {
    const parts = content as InputContent;
    const where = `${place}.content`;
    if (role === "assistant") this.#takeAnswer(decodeAnswerParts(parts, where));
    else if (role === "user") this.messages.push({ role, content: decodeUserParts(parts, where) });
    else {
      const authority = role === "developer" ? "developer" : "system";
      this.messages.push({ role: "system", authority, content: decodeTextParts(parts, where) });
    }
  }

  #takeAnswer(parts: readonly AssistantPart[]): void {
    const answer = this.#answer();
    for (const part of parts) answer.push(part);
  }

  #takeReasoning(item: JsonRecord): void {
    const content = typeof item.encrypted_content === "string" ? item.encrypted_content : "";
    const item_id = typeof item.id === "string" ? item.id : null;
    const encrypted = content === "" ? null : readEncrypted(content, item_id);
    const text = reasoningText(item);
    if (encrypted?.kind === "seal") return this.#seals.add(encrypted.sealed, encrypted.opaque, this.#answerPlace());
    const said = text || (encrypted?.hidden_text ?? "");
    const opaque = encrypted?.opaque ?? null;
    if (said !== "" || opaque !== null)
      this.#answer().push({ type: "reasoning", text: said, ...(opaque && { opaque }) });
  }

  #takeHosted(item: JsonRecord, place: string): void {
    const type = plainText(item.type ?? "item_reference");
    const summary = summaryIn(item);
    if (summary !== null) this.messages.push({ role: "user", content: [{ type: "text", text: summary }] });
    // The request for a summary is written after all messages; a trigger that is not the last item was answered before.
    else if (type === "compaction_trigger") return;
    else if (bringsTools(item)) for (const tool of decodeTools(item.tools)) this.tools.push(tool);
    else if (historyRole(item) !== null) this.#takeHistory(item, type);
    else throw onlyInResponses(place, `an item of the type ${JSON.stringify(type)}`);
  }

  /** An item that other protocols do not have: what it says is carried as text, in its place. */
  #takeHistory(item: JsonRecord, type: string): void {
    this.left_out.push(type);
    const role = historyRole(item);
    if (role === "left-out") return;
    const part = { type: "text" as const, text: historyText(item) };
    if (role === "assistant") this.#answer().push(part);
    else this.messages.push({ role: "user", content: [part] });
  }

  /** The place after the last part of the answer that is being read, or the start of a new answer. */
  #answerPlace(): SealPlace {
    const last = this.messages.at(-1);
    const { length } = this.messages;
    return last?.role === "assistant"
      ? { message: length - 1, part: last.content.length }
      : { message: length, part: 0 };
  }

  /** The parts of the answer that is being read; after any other message, of a new answer. */
  #answer(): AssistantPart[] {
    const last = this.messages.at(-1);
    if (last?.role === "assistant") return last.content as AssistantPart[];
    const content: AssistantPart[] = [];
    this.messages.push({ role: "assistant", content });
    return content;
  }
}

function callOf(item: JsonRecord, kind: ToolCallPart["kind"], text: unknown): ToolCallPart {
  return { type: "tool-call", id: plainText(item.call_id), name: nameOf(item), arguments: plainText(text), kind };
}

/** An output with the status `incomplete` is read as an error: this protocol has no other mark for one. */
function resultOf(item: JsonRecord, call_id: string, place: string): ToolMessage {
  return {
    role: "tool",
    call_id,
    content: decodeResultParts(item.output as InputContent, `${place}.output`),
    is_error: item.status === "incomplete",
  };
}

/**
 * The calls of a conversation that have no result yet. This protocol lets a result name its call by the tool alone, and
 * others do not: it is the nearest call of that tool before it (docs/rulings.md 80).
 */
class OpenCalls {
  /** The ids of each tool's calls, the newest last; answered ones among them are passed over. */
  readonly #ids = new Map<string, string[]>();
  readonly #answered = new Set<string>();

  add({ id, name }: ToolCallPart): void {
    // Some programs use an id again in a later turn.
    this.#answered.delete(id);
    const ids = this.#ids.get(name);
    if (ids === undefined) this.#ids.set(name, [id]);
    else ids.push(id);
  }

  /** The id of the call that a result answers. Throws 400 for one that names no call that is open. */
  answered(item: JsonRecord, place: string): string {
    const id = typeof item.call_id === "string" ? item.call_id : this.#nearest(item, place);
    this.#answered.add(id);
    return id;
  }

  #nearest(item: JsonRecord, place: string): string {
    const ids = this.#ids.get(nameOf(item)) ?? [];
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) if (!this.#answered.has(id)) return id;
    const name = plainText(item.name);
    const found = name === "" ? "has no 'call_id' and no 'name'" : `answers ${JSON.stringify(name.slice(0, 64))}`;
    const message = `'${place}' ${found}; allowed for this model: the 'call_id' of a call before it, or the 'name' of a tool whose call before it has no output yet.`;
    throw new GatewayError("invalid_responses_input", message, { param: place });
  }
}

/** The content of a message or a tool's output: a string, or an array of blocks. It is checked before it gets here. */
type InputContent = string | readonly JsonRecord[];

/** The parts of a user's message; an empty string has none. */
function decodeUserParts(content: InputContent, place: string): UserPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((block, index) => decodeBlock(block, `${place}[${index}]`));
}

/** The parts of a system or developer message. */
function decodeTextParts(content: InputContent, place: string): TextPart[] {
  return decodeUserParts(content, place).map((part, index) => {
    if (part.type !== "text") throw notAllowed(`${place}[${index}]`, part.type, "text");
    return part;
  });
}

/** The parts of a tool's output. */
function decodeResultParts(content: InputContent, place: string): ToolResultPart[] {
  return decodeUserParts(content, place).map((part, index) => {
    if (part.type === "audio" || part.type === "video")
      throw notAllowed(`${place}[${index}]`, part.type, "text, images and files");
    return part;
  });
}

/** The parts of an earlier answer that the client gives back. */
function decodeAnswerParts(content: InputContent, place: string): (TextPart | RefusalPart)[] {
  if (typeof content === "string") return decodeTextParts(content, place);
  return content.flatMap((block, index): (TextPart | RefusalPart)[] =>
    block.type === "refusal"
      ? [{ type: "refusal", text: plainText(block.refusal) }]
      : decodeTextParts([block], `${place}[${index}]`),
  );
}

function decodeBlock(block: JsonRecord, place: string): UserPart {
  switch (block.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: plainText(block.text), ...cacheOf(block) };
    case "input_image":
      return decodeImage(block, place);
    case "input_file":
      return decodeFile(block, place);
    case "input_audio": {
      if (!isObject(block.input_audio)) throw notAllowed(place, "input_audio", "one with 'input_audio'");
      return { type: "audio", format: plainText(block.input_audio.format), data: plainText(block.input_audio.data) };
    }
    default:
      throw onlyInResponses(place, `a block of the type ${JSON.stringify(block.type)}`);
  }
}

function decodeImage(block: JsonRecord, place: string): ImagePart {
  const source = typeof block.image_url === "string" ? sourceOfUrl(block.image_url) : fileOf(block);
  if (source === null) throw notAllowed(place, "input_image", "one with 'image_url' or 'file_id'");
  const detail = typeof block.detail === "string" ? { detail: block.detail } : {};
  return { type: "image", source, ...detail, ...cacheOf(block) };
}

/** `file_data` is a data URL, or bare base64, whose media type only the file's name shows. */
function decodeFile(block: JsonRecord, place: string): DocumentPart {
  const filename = typeof block.filename === "string" ? block.filename : null;
  const source = sourceOfFile(block, filename);
  if (source === null) throw notAllowed(place, "input_file", "one with 'file_data', 'file_url' or 'file_id'");
  const detail = typeof block.detail === "string" ? { detail: block.detail } : {};
  return { type: "document", source, ...(filename !== null && { filename }), ...detail, ...cacheOf(block) };
}

function sourceOfFile(block: JsonRecord, filename: string | null): MediaSource | null {
  if (typeof block.file_url === "string") return { kind: "url", url: block.file_url };
  if (typeof block.file_data !== "string") return fileOf(block);
  const source = sourceOfUrl(block.file_data);
  const is_bare = source.kind === "url" && !source.url.startsWith("data:");
  return is_bare ? { kind: "base64", media_type: mediaTypeOf(filename), data: block.file_data } : source;
}

function mediaTypeOf(filename: string | null): string {
  const type = filename === null || /\.pdf$/i.test(filename) ? "application/pdf" : Bun.file(filename).type;
  // Bun adds a charset to text.
  return type.split(";", 1)[0] ?? type;
}

function fileOf({ file_id }: JsonRecord): MediaSource | null {
  return typeof file_id === "string" ? { kind: "file-id", file_id } : null;
}

/**
 * Explicit cache breakpoints live for at least half an hour, longer than the shortest cache of another vendor lives.
 */
function cacheOf({ prompt_cache_breakpoint: hint }: JsonRecord): { readonly cache?: CacheHint } {
  if (!isObject(hint)) return {};
  return { cache: { ttl: typeof hint.ttl === "string" ? "1h" : null } };
}

function notAllowed(place: string, type: string, allowed: string): GatewayError {
  const message = `'${place}' is of the type ${JSON.stringify(type)}; allowed there: ${allowed}.`;
  return new GatewayError("invalid_responses_input", message, { param: place });
}
