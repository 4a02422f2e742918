import type { BlockKind, TokenLogprob } from "../../core/stream-event.ts";
import { type ItemPlace, type ItemWriter, inItem, itemEvent } from "./item-writer.ts";
import { type ItemStatus, logprobsJson, messageItem, refusalPart, textPart } from "./output-items.ts";

/** Writes a message: all consecutive text and refusals, each in a part of its own. */
export class MessageWriter implements ItemWriter {
  readonly #place: ItemPlace;
  readonly #parts: string[] = [];
  #kind: "text" | "refusal" = "text";
  #is_open = false;
  #at = "";
  #head = "";
  #text = "";
  #logprobs: TokenLogprob[] = [];

  constructor(place: ItemPlace) {
    this.#place = place;
  }

  takes({ kind }: BlockKind): boolean {
    return kind === "text" || kind === "refusal";
  }

  add(): string {
    return itemEvent(this.#place, "added", this.json("in_progress"));
  }

  startBlock({ kind }: BlockKind): string {
    const { events } = this.#place;
    this.#kind = kind === "refusal" ? kind : "text";
    this.#is_open = true;
    this.#text = "";
    this.#logprobs = [];
    this.#at = `${inItem(this.#place)},"content_index":${this.#parts.length}`;
    this.#head = events.head(this.#kind === "text" ? "response.output_text.delta" : "response.refusal.delta", this.#at);
    return events.frame("response.content_part.added", `${this.#at},"part":${this.#part()}`);
  }

  delta(text: string, logprobs: readonly TokenLogprob[]): string {
    if (text === "" && logprobs.length === 0) return "";
    this.#text += text;
    const { events } = this.#place;
    if (this.#kind === "refusal") return events.next(this.#head, JSON.stringify(text));
    for (const logprob of logprobs) this.#logprobs.push(logprob);
    return events.next(this.#head, `${JSON.stringify(text)},"logprobs":${logprobsJson(logprobs)}`);
  }

  endBlock(): string {
    const { events } = this.#place;
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
    return messageItem(this.#place.id, status, parts);
  }

  #part(): string {
    return this.#kind === "refusal" ? refusalPart(this.#text) : textPart(this.#text, this.#logprobs);
  }
}
