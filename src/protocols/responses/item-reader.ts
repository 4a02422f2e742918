import type { Opaque } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";
import type { BlockKind, TokenLogprob } from "../../core/stream-event.ts";
import type { BlockSequence, OpenBlock } from "../shared/block-sequence.ts";
import { readLogprobs } from "./read-logprobs.ts";
import { callIdOf, callNameOf } from "../shared/told-call.ts";

type Data = Readonly<Record<string, unknown>>;

/** The text between two parts of reasoning, which are paragraphs. */
const BETWEEN_PARTS = "\n\n";

interface ReadBlock {
  readonly open: OpenBlock;
  /** How many characters of the part's text have been read: the whole text, which comes at its end, may hold more. */
  read: number;
}

/**
 * Reads one output item into blocks, from its events or whole. A block is opened when it has content, so that reasoning
 * without visible text is no block. The whole text at the end of a part completes the text of its deltas.
 */
export class ItemReader {
  readonly #blocks: BlockSequence;
  readonly #parts = new Map<unknown, ReadBlock>();
  #call: ReadBlock | null = null;
  /**
   * Reasoning is one block. Where a vendor sends both its text and a summary of it, the form that came first counts.
   */
  #reasoning: ReadBlock | null = null;
  #reasoning_source = "";
  #reasoning_part: unknown = null;

  constructor(blocks: BlockSequence) {
    this.#blocks = blocks;
  }

  /** Takes the item of an added event. A call's block opens now, any other block with its first text. */
  add(item: Data): void {
    if (this.#call !== null) return;
    if (item.type === "function_call") this.#call = this.#open(callBlock(item, "function"));
    if (item.type === "custom_tool_call") this.#call = this.#open(callBlock(item, "custom"));
  }

  /** Takes more text of a message's part. */
  addText(kind: "text" | "refusal", index: unknown, text: string, logprobs?: readonly TokenLogprob[]): void {
    if (text === "" && logprobs === undefined) return;
    let part = this.#parts.get(index);
    if (part === undefined) {
      part = this.#open({ kind });
      this.#parts.set(index, part);
    }
    this.#add(part, text, logprobs);
  }

  /** Takes the whole text of a message's part, which ends it. */
  endText(kind: "text" | "refusal", index: unknown, text: unknown, logprobs?: unknown): void {
    const read = this.#parts.get(index)?.read ?? 0;
    // Text that came as deltas had its log probabilities with the deltas.
    const new_logprobs = read === 0 ? readLogprobs(logprobs) : undefined;
    if (typeof text === "string") this.addText(kind, index, text.slice(read), new_logprobs);
    const part = this.#parts.get(index);
    if (part !== undefined) this.#blocks.end(part.open);
  }

  addReasoning(source: "summary" | "content", index: unknown, text: string): void {
    if (text === "") return;
    if (this.#reasoning_source === "") this.#reasoning_source = source;
    if (this.#reasoning_source !== source) return;
    const block = this.#reasoning ?? this.#open({ kind: "reasoning" });
    if (this.#reasoning !== null && index !== this.#reasoning_part) {
      this.#add(block, BETWEEN_PARTS);
      block.read = 0;
    }
    this.#reasoning = block;
    this.#reasoning_part = index;
    this.#add(block, text);
  }

  /** Takes the whole text of a part of reasoning. */
  endReasoning(source: "summary" | "content", index: unknown, text: unknown): void {
    if (typeof text !== "string") return;
    const is_open = this.#reasoning !== null && this.#reasoning_part === index && this.#reasoning_source === source;
    this.addReasoning(source, index, is_open ? text.slice(this.#reasoning?.read) : text);
  }

  addCall(text: string): void {
    if (this.#call !== null && text !== "") this.#add(this.#call, text);
  }

  /** Takes the whole text of a call. */
  endCall(text: unknown): void {
    if (this.#call === null) return;
    if (typeof text === "string") this.addCall(text.slice(this.#call.read));
    this.#blocks.end(this.#call.open);
  }

  /** Takes the whole item: content that no earlier event carried is read now. */
  end(item: Data): void {
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

  #endMessage({ content }: Data): void {
    for (const [index, part] of partsOf(content).entries()) {
      if (part.type === "refusal") this.endText("refusal", index, part.refusal);
      else if (part.type === "output_text") this.endText("text", index, part.text, part.logprobs);
    }
    for (const { open } of this.#parts.values()) this.#blocks.end(open);
  }

  #endReasoningItem(item: Data): void {
    if (this.#reasoning === null) {
      for (const [index, part] of partsOf(item.summary).entries()) this.endReasoning("summary", index, part.text);
      for (const [index, part] of partsOf(item.content).entries()) this.endReasoning("content", index, part.text);
    }
    const opaque = opaqueOf(item);
    if (opaque !== null) this.#reasoning ??= this.#open({ kind: "reasoning" });
    if (this.#reasoning !== null) this.#blocks.end(this.#reasoning.open, opaque);
  }

  #open(block: BlockKind): ReadBlock {
    return { open: this.#blocks.open(block), read: 0 };
  }

  #add(block: ReadBlock, text: string, logprobs?: readonly TokenLogprob[]): void {
    block.read += text.length;
    if (!block.open.ended) this.#blocks.add(block.open, text, logprobs);
  }
}

function callBlock(item: Data, tool: "function" | "custom"): BlockKind {
  const told = typeof item.call_id === "string" && item.call_id !== "" ? item.call_id : item.id;
  return { kind: "tool-call", id: callIdOf(told, "call"), name: callNameOf(item.name), tool };
}

function partsOf(parts: unknown): readonly Data[] {
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

/** Encrypted reasoning belongs to this vendor's family only, whatever it contains. */
function opaqueOf({ encrypted_content, id }: Data): Opaque | null {
  if (typeof encrypted_content !== "string" || encrypted_content === "") return null;
  return { family: "openai", form: "encrypted", data: encrypted_content, ...(typeof id === "string" && { id }) };
}
