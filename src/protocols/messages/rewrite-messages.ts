import { findItems, findMembers, type JsonSpan, replaceMembers } from "../shared/json-members.ts";
import type { WireMessage, WireText } from "./wire-blocks.ts";

/** The change to one message of a relayed conversation; in messages without a change every byte stays. */
export type MessageChange =
  | { readonly kind: "removed" }
  /** A new message replaces this message. */
  | { readonly kind: "replaced"; readonly role: "user"; readonly content: readonly object[] }
  | {
      readonly kind: "changed";
      /** Blocks that are put before the others, but after tool results, which must come first. */
      before: readonly WireText[];
      /** Blocks that are put after all others. */
      behind: readonly WireText[];
      /** Blocks that replace a block of the message, by its `INDEX`, or one inside a tool's result, by `INDEX_OF_RESULT.INDEX_IN_IT`. */
      readonly parts: Map<string, readonly object[]>;
      /** The text of a user's turn that is put right before this message. */
      preceded_by: string | null;
    };

/** Rewrites the JSON text of a list of messages. All bytes outside the changes stay as they were sent. */
export function rewriteMessages(
  text: string,
  messages: readonly WireMessage[],
  changes: ReadonlyMap<number, MessageChange>,
): string {
  const spans = findItems(text, 0);
  const edits: Edit[] = [];
  let is_first = true;
  for (const [index, span] of spans.entries()) {
    const change = changes.get(index);
    if (change?.kind === "removed") edits.push(removal(spans, index, is_first));
    else if (change?.kind === "replaced") {
      edits.push({ ...span, text: JSON.stringify({ role: change.role, content: change.content }) });
    } else if (change !== undefined) {
      edits.push({ ...span, text: changedMessage(text.slice(span.start, span.end), messages[index], change) });
    }
    if (change?.kind !== "removed") is_first = false;
  }
  return applied(text, edits);
}

interface Edit extends JsonSpan {
  readonly text: string;
}

/** Removes an item with its comma: the comma before it, or, while no item before it is kept, the comma after it. */
function removal(spans: readonly JsonSpan[], index: number, is_first: boolean): Edit {
  const { start, end } = spans[index] as JsonSpan;
  if (is_first) return { start, end: spans[index + 1]?.start ?? end, text: "" };
  return { start: spans[index - 1]?.end ?? start, end, text: "" };
}

type TurnChange = Extract<MessageChange, { kind: "changed" }>;

function changedMessage(text: string, message: WireMessage | undefined, change: TurnChange): string {
  const members = findMembers(text);
  const place = members.get("content");
  const content = place === undefined ? "[]" : text.slice(place.value_start, place.end);
  const changed = changedContent(content, message?.content ?? [], change);
  const turn = changed === content ? text : replaceMembers(text, [["content", changed]], members);
  if (change.preceded_by === null) return turn;
  return `${JSON.stringify({ role: "user", content: change.preceded_by })},${turn}`;
}

function changedContent(
  text: string,
  content: string | readonly { readonly type: string }[],
  { before, behind, parts }: TurnChange,
): string {
  if (before.length + behind.length + parts.size === 0) return text;
  if (typeof content === "string") {
    const own = content.trim() === "" ? [] : [`{"type":"text","text":${text}}`];
    return `[${[...before.map(written), ...own, ...behind.map(written)].join(",")}]`;
  }
  const spans = findItems(text, 0);
  const edits = spans.flatMap((span, index) => blockEdits(text, span, index, parts));
  const first = content.findLastIndex(({ type }) => type === "tool_result") + 1;
  if (spans.length === 0) return `[${[...before, ...behind].map(written).join(",")}]`;
  // What is put before a block stands before that block's own edit.
  const all = [...insertion(spans, first, before), ...edits].sort((one, other) => one.start - other.start);
  return applied(text, [...all, ...insertion(spans, spans.length, behind)]);
}

/** Adds blocks before the item of that index, or after the last one. */
function insertion(spans: readonly JsonSpan[], index: number, blocks: readonly object[]): Edit[] {
  if (blocks.length === 0) return [];
  const added = blocks.map(written).join(",");
  const item = spans[index];
  if (item !== undefined) return [{ start: item.start, end: item.start, text: `${added},` }];
  const { end } = spans.at(-1) as JsonSpan;
  return [{ start: end, end, text: `,${added}` }];
}

/** The edits of one block, or of the changed blocks inside a tool's result. */
function blockEdits(text: string, span: JsonSpan, index: number, parts: TurnChange["parts"]): Edit[] {
  if (parts.size === 0) return [];
  const whole = parts.get(String(index));
  if (whole !== undefined) return [{ ...span, text: whole.map(written).join(",") }];
  const result = text.slice(span.start, span.end);
  const place = result.startsWith("{") ? findMembers(result).get("content") : undefined;
  if (place === undefined || result[place.value_start] !== "[") return [];
  const offset = span.start + place.value_start;
  return findItems(result.slice(place.value_start, place.end), 0).flatMap((item, nth) => {
    const blocks = parts.get(`${index}.${nth}`);
    if (blocks === undefined) return [];
    return [{ start: offset + item.start, end: offset + item.end, text: blocks.map(written).join(",") }];
  });
}

function written(block: object): string {
  return JSON.stringify(block);
}

/** Applies edits, which are in the order of their positions and do not overlap. */
function applied(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const edit of edits) {
    if (edit.start > from) parts.push(text.slice(from, edit.start));
    if (edit.text !== "") parts.push(edit.text);
    from = edit.end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
