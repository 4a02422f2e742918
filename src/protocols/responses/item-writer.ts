import type { Opaque } from "../../core/generation.ts";
import type { BlockKind, TokenLogprob } from "../../core/stream-event.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemStatus } from "./output-items.ts";

/** The place of an item in the output, and the writer of its events. */
export interface ItemPlace {
  readonly events: EventWriter;
  readonly id: string;
  readonly output_index: number;
}

/** Writes the events of one output item (docs/rulings.md 5). Each call returns the frames to send. */
export interface ItemWriter {
  /** Whether a further block goes into this item. */
  takes(block: BlockKind): boolean;
  add(): string;
  startBlock(block: BlockKind): string;
  delta(text: string, logprobs: readonly TokenLogprob[]): string;
  endBlock(opaque: Opaque | undefined): string;
  /** The item with its content so far, as JSON. */
  json(status: ItemStatus): string;
}

/** The event that adds an item, or its done event. */
export function itemEvent({ events, output_index }: ItemPlace, what: "added" | "done", item: string): string {
  return events.frame(`response.output_item.${what}`, `"output_index":${output_index},"item":${item}`);
}

/** The members that every event inside an item begins with. */
export function inItem({ id, output_index }: ItemPlace): string {
  return `"item_id":"${id}","output_index":${output_index}`;
}
