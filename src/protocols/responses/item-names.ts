import type { JsonRecord } from "../../core/json.ts";
/**
 * Which item a vendor's event is about (docs/rulings.md 201). Items are known by their names (the item's id, the call's id),
 * and only then by their place: vendors leave `output_index` out, count it wrong, and send the same item once more under
 * another index or another id.
 */

/** The type of an item. */
export type ItemKind = string;

/** An item that the vendor has sent events about, with the names that it had in them. */
export interface NamedItem {
  readonly kind: ItemKind;
  id: string | null;
  call_id: string | null;
  /** The id that events about parts and deltas call it by, which need not be the item's own. */
  event_id: string | null;
  /** The place that the vendor gave it last. */
  output_index: number | null;
  is_added: boolean;
  is_done: boolean;
}

/** Events whose middle word is not the type of their item, or that type and a member of it. */
const KINDS: ReadonlyMap<string, ItemKind> = new Map([
  ["output_text", "message"],
  ["refusal", "message"],
  ["content_part", "message"],
  ["reasoning_text", "reasoning"],
  ["reasoning_summary_text", "reasoning"],
  ["reasoning_summary_part", "reasoning"],
]);
const MEMBER_OF_ITEM = /_(arguments|input|code)$/;

/** The type of the items that an event is about, by the event's own type: `response.KIND.WORD`. */
export function kindOfEvent(type: string): ItemKind {
  const word = type.slice(type.indexOf(".") + 1, type.lastIndexOf("."));
  const first = word.endsWith(".annotation") ? "output_text" : word;
  return KINDS.get(first) ?? first.replace(MEMBER_OF_ITEM, "");
}

export function newNames(kind: ItemKind): NamedItem {
  return { kind, id: null, call_id: null, event_id: null, output_index: null, is_added: false, is_done: false };
}

/** The items of one answer. Every look-up takes the same time, however many items there are. */
export class KnownItems<Item extends { readonly names: NamedItem }> {
  readonly #by_id = new Map<string, Item>();
  readonly #by_call = new Map<string, Item>();
  readonly #by_index = new Map<number, Item>();
  /** The item of each kind that the last event was about: an event with neither name nor place is about it, too. */
  readonly #latest = new Map<ItemKind, Item>();

  /** The item that an event about a part, a text or a state of it means; `is_end` for one that ends a part or a text. */
  ofEvent(data: JsonRecord, kind: ItemKind, is_end: boolean): Item | undefined {
    const id = nameOf(data.item_id);
    const named = id === null ? undefined : this.#by_id.get(id);
    if (named !== undefined && named.names.kind === kind) return named;
    const item = this.#openAt(data, kind) ?? (is_end && id === null ? this.#doneAt(data, kind) : undefined);
    if (item === undefined || id === null) return item ?? this.#latestOpen(kind, id, placeOf(data));
    // Deltas that call their item by another id than its own all use the same one.
    return item.names.event_id === null || item.names.event_id === id ? item : undefined;
  }

  /** The item that an added event tells of again, or that deltas before it spoke of. */
  ofAdded(data: JsonRecord, item: JsonRecord): Item | undefined {
    const id = nameOf(item.id);
    const named = id === null ? undefined : this.#by_id.get(id);
    if (named !== undefined) return this.#isOther(named, data, item) ? undefined : named;
    const call_id = nameOf(item.call_id);
    const called = call_id === null ? undefined : this.#by_call.get(call_id);
    if (called !== undefined && (id === null || called.names.id === null)) return called;
    const unnamed =
      this.#openAt(data, typeOf(item)) ?? (placeOf(data) === null ? this.#latestOpen(typeOf(item), id) : undefined);
    return unnamed?.names.is_added === false ? unnamed : undefined;
  }

  /** The item that an event tells whole. */
  ofDone(data: JsonRecord, item: JsonRecord): Item | undefined {
    const kind = typeOf(item);
    const named = this.byName(item, kind);
    if (named !== undefined) return named;
    const found = this.#openAt(data, kind) ?? (nameOf(item.id) === null ? this.#latestOpen(kind, null) : undefined);
    return found === undefined || isOtherCall(found.names, item) ? undefined : found;
  }

  /** The item with an item's id or, failing that, its call's id. */
  byName(item: JsonRecord, kind: ItemKind): Item | undefined {
    const id = nameOf(item.id);
    const named = id === null ? undefined : this.#by_id.get(id);
    if (named !== undefined && named.names.kind === kind && !isOtherCall(named.names, item)) return named;
    const call_id = nameOf(item.call_id);
    const called = call_id === null ? undefined : this.#by_call.get(call_id);
    return called?.names.kind === kind ? called : undefined;
  }

  learn(known: Item, data: JsonRecord, item: JsonRecord | null): void {
    const { names } = known;
    const index = placeOf(data);
    if (index !== null) this.#by_index.set(index, known);
    names.output_index = index ?? names.output_index;
    const event_id = item === null ? nameOf(data.item_id) : null;
    if (event_id !== null) {
      names.event_id = event_id;
      if (!this.#by_id.has(event_id)) this.#by_id.set(event_id, known);
    }
    const id = item === null ? null : nameOf(item.id);
    if (id !== null) {
      names.id ??= id;
      this.#by_id.set(id, known);
    }
    const call_id = item === null ? null : nameOf(item.call_id);
    if (call_id !== null) {
      names.call_id ??= call_id;
      this.#by_call.set(call_id, known);
    }
    this.#latest.set(names.kind, known);
  }

  #openAt(data: JsonRecord, kind: ItemKind): Item | undefined {
    const index = placeOf(data);
    const item = index === null ? undefined : this.#by_index.get(index);
    return item !== undefined && item.names.kind === kind && !item.names.is_done ? item : undefined;
  }

  /** The item whose end came before that of its parts: a nameless end begins no item. */
  #doneAt(data: JsonRecord, kind: ItemKind): Item | undefined {
    const index = placeOf(data);
    const item = index === null ? this.#latest.get(kind) : this.#by_index.get(index);
    return item?.names.kind === kind && item.names.is_done ? item : undefined;
  }

  /** The last item of a kind, if it is open and no event has called it by another id, or put it in another place before it was announced. */
  #latestOpen(kind: ItemKind, id: string | null, place: number | null = null): Item | undefined {
    const item = this.#latest.get(kind);
    if (item === undefined || item.names.is_done) return undefined;
    const { is_added, output_index } = item.names;
    if (!is_added && place !== null && output_index !== null && output_index !== place) return undefined;
    if (id === null) return item;
    const { event_id, id: own } = item.names;
    return event_id === null && own === null ? item : undefined;
  }

  /** Whether an added event means another item than the one that has its id: some vendors number each item from 0. */
  #isOther({ names }: Item, data: JsonRecord, item: JsonRecord): boolean {
    if (names.kind !== typeOf(item) || isOtherCall(names, item)) return true;
    const index = placeOf(data);
    return names.is_done && index !== null && index !== names.output_index;
  }
}

function isOtherCall(names: NamedItem, item: JsonRecord): boolean {
  const call_id = nameOf(item.call_id);
  return call_id !== null && names.call_id !== null && names.call_id !== call_id;
}

/** The type of an item; empty where it has none. */
export function typeOf({ type }: JsonRecord): ItemKind {
  return stringOf(type);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A name that tells items apart. */
export function nameOf(told: unknown): string | null {
  return typeof told === "string" && told !== "" ? told : null;
}

function placeOf({ output_index }: JsonRecord): number | null {
  return typeof output_index === "number" ? output_index : null;
}
