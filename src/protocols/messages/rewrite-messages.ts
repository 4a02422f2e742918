import { findItems, findMembers, type JsonSpan, replaceMembers } from "../shared/json-members.ts";
import type { WireMessage, WireText } from "./wire-blocks.ts";

/** What becomes of one message of a relayed conversation; of those without a change every byte stays. */
export type MessageChange =
  | { readonly kind: "gone" }
  /** Another message in its place. */
  | { readonly kind: "said"; readonly role: "user"; readonly content: readonly object[] }
  | {
      readonly kind: "changed";
      /** Blocks that go before the others, behind results of tools, which must be first. */
      readonly before: WireText[];
      /** Blocks that go behind all others. */
      readonly behind: WireText[];
      /** Blocks in place of one inside a tool's result, by `INDEX_OF_RESULT.INDEX_IN_IT`. */
      readonly parts: Map<string, readonly object[]>;
      /** What the user says right before this message. */
      preceded_by: string | null;
    };

/** Rewrites the JSON text of a list of messages. Bytes outside of what changes stay as they were sent. */
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
    if (change?.kind === "gone") edits.push(removal(spans, index, is_first));
    else if (change?.kind === "said") {
      edits.push({ ...span, text: JSON.stringify({ role: change.role, content: change.content }) });
    } else if (change !== undefined) {
      edits.push({ ...span, text: changedMessage(text.slice(span.start, span.end), messages[index], change) });
    }
    if (change?.kind !== "gone") is_first = false;
  }
  return applied(text, edits);
}

interface Edit extends JsonSpan {
  readonly text: string;
}

/** Takes an item out together with its comma: the one before, or as long as nothing is kept before, the one behind. */
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
  const results = spans.flatMap((span, index) => resultEdits(text, span, index, parts));
  const first = content.findLastIndex(({ type }) => type === "tool_result") + 1;
  if (spans.length === 0) return `[${[...before, ...behind].map(written).join(",")}]`;
  return applied(text, [...results, ...insertion(spans, first, before), ...insertion(spans, spans.length, behind)]);
}

/** Adds blocks before the item of that index, or behind the last one. */
function insertion(spans: readonly JsonSpan[], index: number, blocks: readonly object[]): Edit[] {
  if (blocks.length === 0) return [];
  const added = blocks.map(written).join(",");
  const item = spans[index];
  if (item !== undefined) return [{ start: item.start, end: item.start, text: `${added},` }];
  const { end } = spans.at(-1) as JsonSpan;
  return [{ start: end, end, text: `,${added}` }];
}

/** The changed parts inside of one tool's result. */
function resultEdits(text: string, span: JsonSpan, index: number, parts: TurnChange["parts"]): Edit[] {
  if (parts.size === 0) return [];
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

/** Edits that do not overlap, in any order; those at one place in the order in which they were given. */
function applied(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let out = "";
  let from = 0;
  for (const edit of sorted) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}
