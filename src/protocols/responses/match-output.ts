import { isObject, type JsonRecord } from "../../core/json.ts";
import { type ItemKind, type KnownItems, type NamedItem, stringOf, typeOf } from "./item-names.ts";

/** An item that was told in the stream, for comparison with the output of the last event. */
export interface ToldItem {
  readonly names: NamedItem;
  /** Its text so far, as `contentOf` has it. */
  readonly told: string;
}

/**
 * Finds for each item of the last event's output the item of the stream that it is: by its names; by its content, where a
 * vendor draws new ids for the last event; by its place. Null for an item that no earlier event told.
 */
export function matchOutput<Item extends ToldItem>(
  output: readonly JsonRecord[],
  known: KnownItems<Item>,
  told: readonly Item[],
): (Item | null)[] {
  const matches = new Array<Item | null>(output.length).fill(null);
  const free = new Set(told);
  const take = (at: number, item: Item | undefined) => {
    if (matches[at] === null && item !== undefined && free.delete(item)) matches[at] = item;
  };
  for (const [at, item] of output.entries()) take(at, known.byName(item, typeOf(item)));
  if (free.size === 0) return matches;
  for (const find of [byContent, byPlace, byBeginning]) {
    const finder = find([...free]);
    for (const [at, item] of output.entries()) if (matches[at] === null) take(at, finder(item, at));
  }
  return matches;
}

type Finder<Item> = (item: JsonRecord, at: number) => Item | undefined;

function byContent<Item extends ToldItem>(free: readonly Item[]): Finder<Item> {
  const items = new Map<string, Item>();
  for (const item of [...free].reverse()) if (item.told !== "") items.set(`${item.names.kind} ${item.told}`, item);
  return (item) => {
    const found = items.get(`${typeOf(item)} ${contentOf(item)}`);
    return found !== undefined && canBe(found, item) ? found : undefined;
  };
}

function byPlace<Item extends ToldItem>(free: readonly Item[]): Finder<Item> {
  const items = new Map<string, Item>();
  for (const item of free) items.set(`${item.names.kind} ${item.names.output_index}`, item);
  return (item, at) => {
    const found = items.get(`${typeOf(item)} ${at}`);
    return found !== undefined && canBe(found, item) ? found : undefined;
  };
}

/** An item that was cut before its end: the next of its kind, if its text is the beginning of the whole. */
function byBeginning<Item extends ToldItem>(free: readonly Item[]): Finder<Item> {
  const next = new Map<ItemKind, Item>();
  for (const item of [...free].reverse()) if (!item.names.is_done) next.set(item.names.kind, item);
  return (item) => {
    const found = next.get(typeOf(item));
    return found !== undefined && canBe(found, item) && contentOf(item).startsWith(found.told) ? found : undefined;
  };
}

/** Calls with two different ids are two calls, whatever else they share. */
function canBe({ names }: ToldItem, { call_id }: JsonRecord): boolean {
  return names.call_id === null || typeof call_id !== "string" || call_id === "" || call_id === names.call_id;
}

export function contentOf(item: JsonRecord): string {
  for (const own of [item.arguments, item.input]) if (typeof own === "string") return own;
  let text = "";
  for (const parts of [item.summary, item.content]) {
    if (!Array.isArray(parts)) continue;
    for (const part of parts) if (isObject(part)) text += stringOf(part.text) + stringOf(part.refusal);
  }
  return text;
}
