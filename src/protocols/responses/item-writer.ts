import type { Opaque } from "../../core/generation.ts";
import type { BlockKind, TokenLogprob } from "../../core/stream-event.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemStatus } from "./output-items.ts";

/** Where an item stands, and what its events are written with. */
export interface ItemPlace {
  readonly events: EventWriter;
  readonly id: string;
  readonly output_index: number;
}

/** Writes the events of one output item (docs/rulings.md 5). Each call gives the frames that are due. */
export interface ItemWriter {
  /** Whether a further block belongs into this item. */
  takes(block: BlockKind): boolean;
  add(): string;
  startBlock(block: BlockKind): string;
  delta(text: string, logprobs: readonly TokenLogprob[]): string;
  endBlock(opaque: Opaque | undefined): string;
  /** The item as far as it came, as JSON. */
  json(status: ItemStatus): string;
}

/** The event that adds an item, or that tells that it is done. */
export function itemEvent({ events, output_index }: ItemPlace, what: "added" | "done", item: string): string {
  return events.frame(`response.output_item.${what}`, `"output_index":${output_index},"item":${item}`);
}

/** What the events inside an item begin with. */
export function inItem({ id, output_index }: ItemPlace): string {
  return `"item_id":"${id}","output_index":${output_index}`;
}
