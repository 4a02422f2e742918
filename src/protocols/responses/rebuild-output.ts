import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import type { ContentTape } from "../shared/content-tape.ts";
import { eventData } from "../shared/event-frames.ts";
import type { AnswerLog } from "./answer-log.ts";
import { kindOf, TEXT_FIELDS, type TextField } from "./text-fields.ts";

/** A streamed text: of a part, or of an item that is one text, such as a call's arguments. */
export interface OpenText {
  readonly kind: string;
  readonly field: TextField["field"];
  text: string;
  /** Whether the text's done event passed. */
  is_done: boolean;
}

export interface OpenPart {
  value: JsonRecord;
  /** Whether the part's added event passed, so that its done event is due. */
  readonly is_announced: boolean;
  is_done: boolean;
  text: OpenText | null;
}

/** An item with its content so far. */
export interface RebuiltItem {
  readonly output_index: number;
  value: JsonRecord;
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

function replay(items: Map<number, RebuiltItem>, data: JsonRecord, delta: string): void {
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

function newItem(data: JsonRecord): RebuiltItem {
  const value = isObject(data.item) ? data.item : {};
  return { output_index: indexOf(data), value, is_done: false, content: new Map(), summary: new Map(), text: null };
}

function replayPart(item: RebuiltItem, data: JsonRecord, is_done: boolean): void {
  const { parts, index } = placeOf(item, data);
  const value = isObject(data.part) ? data.part : {};
  const text = parts.get(index)?.text ?? null;
  if (text !== null && is_done) text.is_done = true;
  parts.set(index, { value, is_announced: true, is_done, text: is_done ? null : text });
}

function textOf(item: RebuiltItem, data: JsonRecord, kind: string, field: TextField): OpenText {
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

function addAnnotation(item: RebuiltItem, data: JsonRecord): void {
  const part = item.content.get(Number(data.content_index));
  if (part === undefined) return;
  if (!Array.isArray(part.value.annotations)) part.value = { ...part.value, annotations: [] };
  (part.value.annotations as unknown[]).push(data.annotation);
}

/** The map of an item's parts that an event belongs to, and its index there. Summaries have indexes of their own. */
function placeOf(
  item: RebuiltItem,
  data: JsonRecord,
): { readonly parts: Map<number, OpenPart>; readonly index: number } {
  if (typeof data.summary_index === "number") return { parts: item.summary, index: data.summary_index };
  return { parts: item.content, index: typeof data.content_index === "number" ? data.content_index : 0 };
}

function indexOf(data: JsonRecord): number {
  return typeof data.output_index === "number" ? data.output_index : 0;
}

/** An event without its `sequence_number`, which it gets when it is sent. */
export type UnnumberedEvent = { readonly type: string } & JsonRecord;

/**
 * The events that close the items and parts that are still open, innermost first, as a vendor sends them when it
 * reaches its own limit.
 */
export function closingEvents(items: readonly RebuiltItem[]): UnnumberedEvent[] {
  return items.filter((item) => !item.is_done).flatMap(closeItem);
}

/** The output so far: items that are done as they are, open items with the text that arrived, marked as incomplete. */
export function outputSoFar(items: readonly RebuiltItem[]): JsonRecord[] {
  return items.map((item) => (item.is_done ? item.value : incompleteItem(item)));
}

function closeItem(item: RebuiltItem): UnnumberedEvent[] {
  const place = { item_id: item.value.id, output_index: item.output_index };
  const summary = [...item.summary].flatMap(([summary_index, part]) =>
    closePart(part, { ...place, summary_index }, "response.reasoning_summary_part.done"),
  );
  const content = [...item.content].flatMap(([content_index, part]) =>
    closePart(part, { ...place, content_index }, "response.content_part.done"),
  );
  const text = item.text === null ? [] : closeText(item.text, place);
  const done = {
    type: "response.output_item.done",
    output_index: item.output_index,
    item: incompleteItem(item),
  };
  return [...summary, ...content, ...text, done];
}

function closePart(part: OpenPart, place: JsonRecord, type: string): UnnumberedEvent[] {
  const events = part.text === null ? [] : closeText(part.text, place);
  if (part.is_announced && !part.is_done) events.push({ type, ...place, part: partSoFar(part) });
  return events;
}

function closeText(text: OpenText, place: JsonRecord): UnnumberedEvent[] {
  if (text.is_done) return [];
  const logprobs = text.kind === "response.output_text" ? { logprobs: [] } : {};
  return [{ type: `${text.kind}.done`, ...place, [text.field]: text.text, ...logprobs }];
}

function incompleteItem(item: RebuiltItem): JsonRecord {
  const { value, content, summary, text } = item;
  return {
    ...value,
    ...("status" in value || value.type === "message" ? { status: "incomplete" } : {}),
    ...(content.size > 0 || value.type === "message" ? { content: partsSoFar(content) } : {}),
    ...(summary.size > 0 ? { summary: partsSoFar(summary) } : {}),
    ...(text === null ? {} : { [text.field]: text.text }),
  };
}

function partsSoFar(parts: ReadonlyMap<number, OpenPart>): JsonRecord[] {
  return [...parts].sort(([a], [b]) => a - b).map(([, part]) => partSoFar(part));
}

function partSoFar({ value, text }: OpenPart): JsonRecord {
  return text === null ? value : { ...value, [text.field]: text.text };
}
