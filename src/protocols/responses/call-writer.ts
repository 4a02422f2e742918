import { type ItemPlace, type ItemWriter, inItem, itemEvent } from "./item-writer.ts";
import { type CallBlock, callItem, callText, fieldOf, type ItemStatus, type ToolNames } from "./output-items.ts";

/** A call of a function or of a custom tool. */
export class CallWriter implements ItemWriter {
  readonly #place: ItemPlace;
  readonly #block: CallBlock;
  readonly #names: ToolNames;
  readonly #kind: string;
  readonly #head: string;
  #text = "";

  constructor(place: ItemPlace, block: CallBlock, names: ToolNames) {
    this.#place = place;
    this.#block = block;
    this.#names = names;
    this.#kind = block.tool === "custom" ? "response.custom_tool_call_input" : "response.function_call_arguments";
    this.#head = place.events.head(`${this.#kind}.delta`, inItem(place));
  }

  takes(): boolean {
    return false;
  }

  add(): string {
    return itemEvent(this.#place, "added", this.json("in_progress"));
  }

  startBlock(): string {
    return "";
  }

  delta(text: string): string {
    if (text === "") return "";
    this.#text += text;
    return this.#place.events.next(this.#head, JSON.stringify(text));
  }

  endBlock(): string {
    const missing = this.delta(callText(this.#block, this.#text).slice(this.#text.length));
    const text = `${inItem(this.#place)},"${fieldOf(this.#block)}":${JSON.stringify(this.#text)}`;
    return missing + this.#place.events.frame(`${this.#kind}.done`, text);
  }

  json(status: ItemStatus): string {
    const call = { id: this.#place.id, block: this.#block, text: this.#text, names: this.#names };
    return callItem(call, status);
  }
}
