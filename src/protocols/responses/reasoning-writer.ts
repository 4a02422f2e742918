import type { Opaque } from "../../core/generation.ts";
import { type ItemPlace, type ItemWriter, inItem, itemEvent } from "./item-writer.ts";
import { reasoningItem, summaryPart } from "./output-items.ts";
import { encryptedContent, UNSIGNED_CONTENT } from "./seal.ts";

/**
 * Writes reasoning: its visible text is a summary part, which opens with the first text and is left out without any.
 */
export class ReasoningWriter implements ItemWriter {
  readonly #place: ItemPlace;
  readonly #at: string;
  #head = "";
  #text = "";
  #encrypted: string | null;

  constructor(place: ItemPlace, encrypted: string | null = null) {
    this.#place = place;
    this.#encrypted = encrypted;
    this.#at = `${inItem(place)},"summary_index":0`;
  }

  takes(): boolean {
    return false;
  }

  add(): string {
    return itemEvent(this.#place, "added", reasoningItem(this.#place.id, "", null));
  }

  startBlock(): string {
    return "";
  }

  delta(text: string): string {
    if (text === "") return "";
    const { events } = this.#place;
    const opening = this.#text === "" ? this.#partEvent("added") : "";
    if (opening !== "") this.#head = events.head("response.reasoning_summary_text.delta", this.#at);
    this.#text += text;
    return opening + events.next(this.#head, JSON.stringify(text));
  }

  endBlock(opaque: Opaque | undefined): string {
    this.#encrypted = opaque === undefined ? UNSIGNED_CONTENT : encryptedContent(opaque);
    if (this.#text === "") return "";
    const text = `${this.#at},"text":${JSON.stringify(this.#text)}`;
    return this.#place.events.frame("response.reasoning_summary_text.done", text) + this.#partEvent("done");
  }

  json(): string {
    return reasoningItem(this.#place.id, this.#text === "" ? "" : summaryPart(this.#text), this.#encrypted);
  }

  #partEvent(what: "added" | "done"): string {
    const part = `${this.#at},"part":${summaryPart(this.#text)}`;
    return this.#place.events.frame(`response.reasoning_summary_part.${what}`, part);
  }
}
