import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, TokenLogprob } from "../../core/answer/stream-event.ts";
import {
  type CallBlock,
  callItem,
  callText,
  fieldOf,
  type ItemStatus,
  logprobsJson,
  messageItem,
  reasoningItem,
  refusalPart,
  summaryPart,
  type ToolNames,
  textPart,
} from "./output-items.ts";
import { encryptedContent, UNSIGNED_CONTENT } from "./seal.ts";

export interface ItemPlace {
  readonly events: EventWriter;
  readonly id: string;
  readonly output_index: number;
}

/** Writes the events of one output item (docs/rulings.md 5). Each call returns the frames to send. */
export abstract class ItemWriter {
  readonly place: ItemPlace;

  constructor(place: ItemPlace) {
    this.place = place;
  }

  /** Whether a further block goes into this item. */
  takes(_block: BlockKind): boolean {
    return false;
  }

  add(): string {
    return itemEvent(this.place, "added", this.json("in_progress"));
  }

  startBlock(_block: BlockKind): string {
    return "";
  }

  abstract delta(text: string, logprobs: readonly TokenLogprob[]): string;
  abstract endBlock(opaque: Opaque | undefined): string;
  /** The item with its content so far, as JSON. */
  abstract json(status: ItemStatus): string;
}

export function itemEvent({ events, output_index }: ItemPlace, what: "added" | "done", item: string): string {
  return events.frame(`response.output_item.${what}`, `"output_index":${output_index},"item":${item}`);
}

/** The members that every event inside an item begins with. */
export function inItem({ id, output_index }: ItemPlace): string {
  return `"item_id":"${id}","output_index":${output_index}`;
}

/** Writes the frames of one responses stream; numbers them from 0 without gaps (docs/rulings.md 5). */
export class EventWriter {
  #sequence_number = 0;

  /** `fields` are the event's further members, as JSON without the braces. */
  frame(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** A frame of a run of frames that differ only after `head`. */
  next(head: string, fields: string): string {
    return `${head}${fields},"sequence_number":${this.#sequence_number++}}\n\n`;
  }

  /** The beginning that the frames of such a run share. */
  head(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"delta":`;
  }
}

/** Writes a message: all consecutive text and refusals, each in a part of its own. */
export class MessageWriter extends ItemWriter {
  readonly #parts: string[] = [];
  #kind: "text" | "refusal" = "text";
  #is_open = false;
  #at = "";
  #head = "";
  #text = "";
  #logprobs: TokenLogprob[] = [];

  override takes({ kind }: BlockKind): boolean {
    return kind === "text" || kind === "refusal";
  }

  override startBlock({ kind }: BlockKind): string {
    const { events } = this.place;
    this.#kind = kind === "refusal" ? kind : "text";
    this.#is_open = true;
    this.#text = "";
    this.#logprobs = [];
    this.#at = `${inItem(this.place)},"content_index":${this.#parts.length}`;
    this.#head = events.head(this.#kind === "text" ? "response.output_text.delta" : "response.refusal.delta", this.#at);
    return events.frame("response.content_part.added", `${this.#at},"part":${this.#part()}`);
  }

  delta(text: string, logprobs: readonly TokenLogprob[]): string {
    if (text === "" && logprobs.length === 0) return "";
    this.#text += text;
    const { events } = this.place;
    if (this.#kind === "refusal") return events.next(this.#head, JSON.stringify(text));
    for (const logprob of logprobs) this.#logprobs.push(logprob);
    return events.next(this.#head, `${JSON.stringify(text)},"logprobs":${logprobsJson(logprobs)}`);
  }

  endBlock(): string {
    const { events } = this.place;
    const part = this.#part();
    this.#parts.push(part);
    this.#is_open = false;
    const text = JSON.stringify(this.#text);
    const done =
      this.#kind === "refusal"
        ? events.frame("response.refusal.done", `${this.#at},"refusal":${text}`)
        : events.frame(
            "response.output_text.done",
            `${this.#at},"text":${text},"logprobs":${logprobsJson(this.#logprobs)}`,
          );
    return done + events.frame("response.content_part.done", `${this.#at},"part":${part}`);
  }

  json(status: ItemStatus): string {
    const parts = this.#is_open ? [...this.#parts, this.#part()] : this.#parts;
    return messageItem(this.place.id, status, parts);
  }

  #part(): string {
    return this.#kind === "refusal" ? refusalPart(this.#text) : textPart(this.#text, this.#logprobs);
  }
}

/** A call of a function or of a custom tool. */
export class CallWriter extends ItemWriter {
  readonly #block: CallBlock;
  readonly #names: ToolNames;
  readonly #kind: string;
  readonly #head: string;
  #text = "";

  constructor(place: ItemPlace, block: CallBlock, names: ToolNames) {
    super(place);
    this.#block = block;
    this.#names = names;
    this.#kind = block.tool === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments";
    this.#head = place.events.head(`${this.#kind}.delta`, inItem(place));
  }

  delta(text: string): string {
    if (text === "") return "";
    this.#text += text;
    return this.place.events.next(this.#head, JSON.stringify(text));
  }

  endBlock(): string {
    const missing = this.delta(callText(this.#block, this.#text).slice(this.#text.length));
    const text = `${inItem(this.place)},"${fieldOf(this.#block)}":${JSON.stringify(this.#text)}`;
    return missing + this.place.events.frame(`${this.#kind}.done`, text);
  }

  json(status: ItemStatus): string {
    const call = { id: this.place.id, block: this.#block, text: this.#text, names: this.#names };
    return callItem(call, status);
  }
}

/**
 * Writes reasoning: its visible text is a summary part, which opens with the first text and is left out without any.
 */
export class ReasoningWriter extends ItemWriter {
  readonly #at: string;
  #head = "";
  #text = "";
  #encrypted: string | null;

  constructor(place: ItemPlace, encrypted: string | null = null) {
    super(place);
    this.#encrypted = encrypted;
    this.#at = `${inItem(place)},"summary_index":0`;
  }

  override add(): string {
    return itemEvent(this.place, "added", reasoningItem(this.place.id, "", null));
  }

  delta(text: string): string {
    if (text === "") return "";
    const { events } = this.place;
    const opening = this.#text === "" ? this.#partEvent("added") : "";
    if (opening !== "") this.#head = events.head("response.reasoning_summary_text.delta", this.#at);
    this.#text += text;
    return opening + events.next(this.#head, JSON.stringify(text));
  }

  endBlock(opaque: Opaque | undefined): string {
    this.#encrypted = opaque === undefined ? UNSIGNED_CONTENT : encryptedContent(opaque);
    if (this.#text === "") return "";
    const text = `${this.#at},"text":${JSON.stringify(this.#text)}`;
    return this.place.events.frame("response.reasoning_summary_text.done", text) + this.#partEvent("done");
  }

  json(): string {
    return reasoningItem(this.place.id, this.#text === "" ? "" : summaryPart(this.#text), this.#encrypted);
  }

  #partEvent(what: "added" | "done"): string {
    const part = `${this.#at},"part":${summaryPart(this.#text)}`;
    return this.place.events.frame(`response.reasoning_summary_part.${what}`, part);
  }
}
