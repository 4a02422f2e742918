import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, TokenLogprob } from "../../core/answer/stream-event.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import type { BlockSequence, OpenBlock } from "../shared/block-sequence.ts";
import { callIdOf, callNameOf } from "../shared/call-ids.ts";
import { parseJson } from "../shared/parse-json.ts";
import { readLogprobs } from "../shared/read-logprobs.ts";
import { type NamedItem, newNames } from "./item-names.ts";

/** The text between two parts of reasoning, which are paragraphs. */
const BETWEEN_PARTS = "\n\n";

interface ReadBlock {
  readonly open: OpenBlock;
  /** The part's text that has been read: the whole text, which comes at its end, may hold more. */
  read: string;
}

/**
 * Reads one output item into blocks, from its events or whole. A block is opened when it has content, so that reasoning
 * without visible text is no block. The whole text at the end of a part completes the text of its deltas.
 */
export class ItemReader {
  readonly names: NamedItem;
  /** Set where a call's arguments came in two versions that contradict each other. */
  is_contradictory = false;
  readonly #blocks: BlockSequence;
  readonly #parts = new Map<unknown, ReadBlock>();
  #last_part: ReadBlock | null = null;
  #call: ReadBlock | null = null;
  /**
   * Reasoning is one block. Where a vendor sends both its text and a summary of it, the form that came first counts.
   */
  #reasoning: ReadBlock | null = null;
  #reasoning_source = "";
  #reasoning_part: unknown = null;
  #reasoning_text = "";

  /** The text of a call that came before anything told which tool is called. */
  #early = "";

  constructor(blocks: BlockSequence, kind: string) {
    this.#blocks = blocks;
    this.names = newNames(kind);
  }

  /** All text so far, as `contentOf` has that of an item. */
  get told(): string {
    if (this.#call !== null) return this.#call.read;
    if (this.#reasoning !== null) return this.#reasoning_text;
    let text = "";
    for (const { read } of this.#parts.values()) text += read;
    return text;
  }

  /** The arguments of a function's call; null for any other item. */
  get arguments(): string | null {
    return this.#call !== null && this.names.kind === "function_call" ? this.#call.read : null;
  }

  /** Takes the item of an added event. A call's block opens now, any other block with its first text. */
  add(item: JsonRecord): void {
    if (this.#call !== null) return;
    if (item.type === "function_call") this.#call = this.#open(callBlock(item, "function"));
    if (item.type === "custom_tool_call") this.#call = this.#open(callBlock(item, "custom"));
    this.addCall(this.#early);
  }

  /** Takes more text of a message's part. */
  addText(kind: "text" | "refusal", index: unknown, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (text === "" && logprobs === undefined) return;
    this.#add(this.#partOf(kind, index) ?? this.#openPart(kind, index), text, logprobs);
  }

  /** Takes the whole text of a message's part, which ends it. */
  endText(kind: "text" | "refusal", index: unknown, text: unknown, logprobs?: unknown): void {
    const read = this.#partOf(kind, index)?.read ?? "";
    // Text that came as deltas had its log probabilities with the deltas.
    const new_logprobs = read === "" ? readLogprobs(logprobs, true) : undefined;
    if (typeof text === "string") this.addText(kind, index, restOf(text, read), new_logprobs);
    const part = this.#partOf(kind, index);
    if (part !== undefined) this.#blocks.end(part.open);
  }

  /** The part at an index; where nothing has that index, the last part of its kind, while it is open. */
  #partOf(kind: "text" | "refusal", index: unknown): ReadBlock | undefined {
    const part = this.#parts.get(index);
    if (part !== undefined) return part;
    const last = this.#last_part;
    return last !== null && last.open.block.kind === kind && !last.open.ended ? last : undefined;
  }

  #openPart(kind: "text" | "refusal", index: unknown): ReadBlock {
    const part = this.#open({ kind });
    this.#parts.set(index, part);
    this.#last_part = part;
    return part;
  }

  addReasoning(source: "summary" | "content", index: unknown, text: string): void {
    if (text === "") return;
    if (this.#reasoning_source === "") this.#reasoning_source = source;
    if (this.#reasoning_source !== source) return;
    const block = this.#reasoning ?? this.#open({ kind: "reasoning" });
    if (this.#reasoning !== null && index !== this.#reasoning_part) {
      this.#add(block, BETWEEN_PARTS);
      block.read = "";
    }
    this.#reasoning = block;
    this.#reasoning_part = index;
    this.#reasoning_text += text;
    this.#add(block, text);
  }

  /** Takes the whole text of a part of reasoning. */
  endReasoning(source: "summary" | "content", index: unknown, text: unknown): void {
    if (typeof text !== "string") return;
    const is_open = this.#reasoning !== null && this.#reasoning_part === index && this.#reasoning_source === source;
    this.addReasoning(source, index, is_open ? restOf(text, this.#reasoning?.read ?? "") : text);
  }

  addCall(text: string): void {
    if (this.#call === null) this.#early += text;
    else if (text !== "") this.#add(this.#call, text);
  }

  /** Takes the whole text of a call. */
  endCall(text: unknown): void {
    if (this.#call === null) return;
    const { read, open } = this.#call;
    if (typeof text === "string") {
      this.addCall(restOf(text, read));
      this.is_contradictory ||= !text.startsWith(read) && !isSameJson(text, read);
    }
    // A client may read the arguments at their end, which such a call never has.
    if (!this.is_contradictory) this.#blocks.end(open);
  }

  /** Takes the whole item: content that no earlier event carried is read now. */
  end(item: JsonRecord): void {
    // Nothing of a call that was not announced has been passed on: what it says whole counts.
    const whole = item.type === "custom_tool_call" ? item.input : item.arguments;
    if (this.#call === null && typeof whole === "string" && !whole.startsWith(this.#early)) this.#early = "";
    this.add(item);
    switch (item.type) {
      case "message":
        return this.#endMessage(item);
      case "function_call":
        return this.endCall(item.arguments);
      case "custom_tool_call":
        return this.endCall(item.input);
      case "reasoning":
        return this.#endReasoningItem(item);
    }
  }

  /**
   * Reads the parts of a whole message. They are those that were read, in their order, as far as their texts begin alike: some
   * vendors number parts otherwise in their events.
   */
  #endMessage({ content }: JsonRecord): void {
    const read = [...new Set(this.#parts.values())];
    let next = 0;
    for (const [index, part] of partsOf(content).entries()) {
      const kind = part.type === "refusal" ? "refusal" : "text";
      const text = kind === "refusal" ? part.refusal : part.text;
      if (typeof text !== "string" || (kind === "text" && part.type !== "output_text")) continue;
      const known = read[next];
      if (known?.open.block.kind === kind && text.startsWith(known.read)) {
        this.#add(known, text.slice(known.read.length));
        next++;
      } else this.endText(kind, index, text, part.logprobs);
    }
    for (const { open } of this.#parts.values()) this.#blocks.end(open);
  }

  #endReasoningItem(item: JsonRecord): void {
    if (this.#reasoning === null) {
      for (const [index, part] of partsOf(item.summary).entries()) this.endReasoning("summary", index, part.text);
      for (const [index, part] of partsOf(item.content).entries()) this.endReasoning("content", index, part.text);
    }
    const opaque = opaqueOf(item);
    if (opaque !== null) this.#reasoning ??= this.#open({ kind: "reasoning" });
    if (this.#reasoning !== null) this.#blocks.end(this.#reasoning.open, opaque);
  }

  #open(block: BlockKind): ReadBlock {
    return { open: this.#blocks.open(block), read: "" };
  }

  #add(block: ReadBlock, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (block.open.ended || (text === "" && logprobs === undefined)) return;
    block.read += text;
    this.#blocks.add(block.open, text, logprobs);
  }
}

/** What a whole text has beyond its deltas; nothing where it contradicts them, as what was said cannot be unsaid. */
function restOf(whole: string, read: string): string {
  return whole.startsWith(read) ? whole.slice(read.length) : "";
}

/** Whether two texts of arguments say the same, however they are spaced. */
function isSameJson(one: string, other: string): boolean {
  try {
    return Bun.deepEquals(parseJson(one), parseJson(other), true);
  } catch {
    return false;
  }
}

function callBlock(item: JsonRecord, tool: "function" | "custom"): BlockKind {
  const told = typeof item.call_id === "string" && item.call_id !== "" ? item.call_id : item.id;
  return { kind: "tool-call", id: callIdOf(told, "call"), name: callNameOf(item.name), tool };
}

function partsOf(parts: unknown): readonly JsonRecord[] {
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

/** Encrypted reasoning belongs to this vendor's family only, whatever it contains. */
function opaqueOf({ encrypted_content, id }: JsonRecord): Opaque | null {
  if (typeof encrypted_content !== "string" || encrypted_content === "") return null;
  return { family: "openai", form: "encrypted", data: encrypted_content, ...(typeof id === "string" && { id }) };
}
