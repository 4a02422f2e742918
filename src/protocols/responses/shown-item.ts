import { type NamedItem, newNames } from "./item-names.ts";

/** A part of a message or of reasoning, as the client was told it. */
export interface ShownPart {
  readonly type: string;
  readonly index: number;
  annotations: number;
  is_done: boolean;
}

export class ShownParts {
  readonly #by_place = new Map<unknown, ShownPart>();
  /** The parts in the order in which the client has them. */
  readonly list: ShownPart[] = [];

  /** The part of a type that was told at the vendor's index. */
  at(place: unknown, type: string): ShownPart | undefined {
    const part = this.#by_place.get(place);
    return part?.type === type ? part : undefined;
  }

  /** The part that an event means: the one at its index, else the last one of its type, while that is open. */
  find(place: unknown, type: string): ShownPart | undefined {
    const last = this.list.at(-1);
    return this.at(place, type) ?? (last?.type === type && !last.is_done ? last : undefined);
  }

  add(place: unknown, type: string): ShownPart {
    const part = { type, index: this.list.length, annotations: 0, is_done: false };
    this.list.push(part);
    this.#by_place.set(typeof place === "number" ? place : part.index, part);
    return part;
  }
}

/** An item as the client was told it: its place and its names stay what they were when it was added. */
export class ShownItem {
  readonly names: NamedItem;
  /** Whether text of it was streamed. */
  has_text = false;
  readonly content = new ShownParts();
  readonly summary = new ShownParts();
  readonly index: number;
  readonly id: string;
  readonly call_id: string | null;
  readonly #toldOf: (index: number) => string;

  constructor(kind: string, shown: Pick<ShownItem, "index" | "id" | "call_id">, toldOf: (index: number) => string) {
    this.names = newNames(kind);
    this.index = shown.index;
    this.id = shown.id;
    this.call_id = shown.call_id;
    this.#toldOf = toldOf;
  }

  /** Its text so far, as `contentOf` has that of an item. */
  get told(): string {
    return this.#toldOf(this.index);
  }
}
