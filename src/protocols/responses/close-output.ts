import type { OpenPart, OpenText, RebuiltItem } from "./rebuild-output.ts";

type Data = Record<string, unknown>;

/** An event without its `sequence_number`, which it gets when it is sent. */
export type UnnumberedEvent = { readonly type: string } & Data;

/**
 * The events that close the items and parts that are still open, innermost first, as a vendor sends them when it
 * reaches its own limit.
 */
export function closingEvents(items: readonly RebuiltItem[]): UnnumberedEvent[] {
  return items.filter((item) => !item.is_done).flatMap(closeItem);
}

/** The output so far: items that are done as they are, open items with the text that arrived, marked as incomplete. */
export function outputSoFar(items: readonly RebuiltItem[]): Data[] {
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

function closePart(part: OpenPart, place: Data, type: string): UnnumberedEvent[] {
  const events = part.text === null ? [] : closeText(part.text, place);
  if (part.is_announced && !part.is_done) events.push({ type, ...place, part: partSoFar(part) });
  return events;
}

function closeText(text: OpenText, place: Data): UnnumberedEvent[] {
  if (text.is_done) return [];
  const logprobs = text.kind === "response.output_text" ? { logprobs: [] } : {};
  return [{ type: `${text.kind}.done`, ...place, [text.field]: text.text, ...logprobs }];
}

function incompleteItem(item: RebuiltItem): Data {
  const { value, content, summary, text } = item;
  return {
    ...value,
    ...("status" in value || value.type === "message" ? { status: "incomplete" } : {}),
    ...(content.size > 0 || value.type === "message" ? { content: partsSoFar(content) } : {}),
    ...(summary.size > 0 ? { summary: partsSoFar(summary) } : {}),
    ...(text === null ? {} : { [text.field]: text.text }),
  };
}

function partsSoFar(parts: ReadonlyMap<number, OpenPart>): Data[] {
  return [...parts].sort(([a], [b]) => a - b).map(([, part]) => partSoFar(part));
}

function partSoFar({ value, text }: OpenPart): Data {
  return text === null ? value : { ...value, [text.field]: text.text };
}
