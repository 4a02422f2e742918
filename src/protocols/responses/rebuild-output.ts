import { isObject, plainText } from "../../core/json.ts";
import type { ContentTape } from "../shared/content-tape.ts";
import { eventData } from "../shared/event-frames.ts";
import type { AnswerLog } from "./answer-log.ts";
import { kindOf, TEXT_FIELDS, type TextField } from "./text-fields.ts";

type Data = Record<string, unknown>;

/** A streamed text: of a part, or of an item that is one text, such as a call's arguments. */
export interface OpenText {
  readonly kind: string;
  readonly field: TextField["field"];
  text: string;
  /** Whether the text's done event passed. */
  is_done: boolean;
}

export interface OpenPart {
  value: Data;
  /** Whether the part's added event passed, so that its done event is due. */
  readonly is_announced: boolean;
  is_done: boolean;
  text: OpenText | null;
}

/** An item with its content so far. */
export interface RebuiltItem {
  readonly output_index: number;
  value: Data;
  is_done: boolean;
  readonly content: Map<number, OpenPart>;
  readonly summary: Map<number, OpenPart>;
  text: OpenText | null;
}

/** The items of an answer with their content so far, in the order of the output. */
export function rebuildOutput(log: AnswerLog, tape: ContentTape): RebuiltItem[] {
  const items = new Map<number, RebuiltItem>();
  for (const entry of log.open) {
    const data = eventData(entry.frame);
    if (data !== null) replay(items, data, tape.text(entry.from, entry.to));
  }
  for (const frame of log.closed) {
    const data = eventData(frame);
    if (data !== null && isObject(data.item)) items.set(indexOf(data), { ...newItem(data), is_done: true });
  }
  return [...items.values()].sort((a, b) => a.output_index - b.output_index);
}

function replay(items: Map<number, RebuiltItem>, data: Data, delta: string): void {
  const type = plainText(data.type);
  if (type === "response.output_item.added") {
    items.set(indexOf(data), newItem(data));
    return;
  }
  const item = items.get(indexOf(data));
  if (item === undefined) return;
  if (type === "response.output_text.annotation.added") return addAnnotation(item, data);
  if (type.endsWith("_part.added") || type.endsWith("_part.done")) return replayPart(item, data, type.endsWith("done"));
  const field = TEXT_FIELDS.get(kindOf(type));
  if (field === undefined) return;
  const text = textOf(item, data, kindOf(type), field);
  if (type.endsWith(".delta")) text.text += delta;
  else if (typeof data[field.field] === "string") text.text = data[field.field] as string;
  text.is_done ||= type.endsWith(".done");
}

function newItem(data: Data): RebuiltItem {
  const value = isObject(data.item) ? data.item : {};
  return { output_index: indexOf(data), value, is_done: false, content: new Map(), summary: new Map(), text: null };
}

function replayPart(item: RebuiltItem, data: Data, is_done: boolean): void {
  const { parts, index } = placeOf(item, data);
  const value = isObject(data.part) ? data.part : {};
  const text = parts.get(index)?.text ?? null;
  if (text !== null && is_done) text.is_done = true;
  parts.set(index, { value, is_announced: true, is_done, text: is_done ? null : text });
}

function textOf(item: RebuiltItem, data: Data, kind: string, field: TextField): OpenText {
  const fresh: OpenText = { kind, field: field.field, text: "", is_done: false };
  if (field.holder === "item") {
    item.text ??= fresh;
    return item.text;
  }
  const { parts, index } = placeOf(item, data);
  const part = parts.get(index) ?? newPart(field);
  parts.set(index, part);
  part.text ??= fresh;
  return part.text;
}

function newPart(field: TextField): OpenPart {
  const annotations = field.part_type === "output_text" ? { annotations: [] } : {};
  return { value: { type: field.part_type, ...annotations }, is_announced: false, is_done: false, text: null };
}

function addAnnotation(item: RebuiltItem, data: Data): void {
  const part = item.content.get(Number(data.content_index));
  if (part === undefined) return;
  if (!Array.isArray(part.value.annotations)) part.value = { ...part.value, annotations: [] };
  (part.value.annotations as unknown[]).push(data.annotation);
}

/** The map of an item's parts that an event belongs to, and its index there. Summaries have indexes of their own. */
function placeOf(item: RebuiltItem, data: Data): { readonly parts: Map<number, OpenPart>; readonly index: number } {
  if (typeof data.summary_index === "number") return { parts: item.summary, index: data.summary_index };
  return { parts: item.content, index: typeof data.content_index === "number" ? data.content_index : 0 };
}

function indexOf(data: Data): number {
  return typeof data.output_index === "number" ? data.output_index : 0;
}
