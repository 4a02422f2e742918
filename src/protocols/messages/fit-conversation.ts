import type { Target } from "../../core/answer/exchange.ts";
import { findItems, findMembers, type JsonSpan, replaceMembers } from "../shared/json-members.ts";
import { asReminder, NO_CONTENT } from "../shared/substitute-texts.ts";
import { carryDocument } from "./carry-document.ts";
import { acceptsSystemMessages, isSettingsOnly, isSystem, lastOfUser, readSystemTurn } from "./system-turns.ts";
import type { WireDocument, WireMessage, WireSystemTurn, WireText } from "./wire-blocks.ts";

/** A conversation's JSON text for a target, and the names of its parts that were left out. */
export interface FittedConversation {
  readonly text: string;
  readonly ignored: readonly string[];
}

/**
 * Fits a relayed conversation to its target: system messages amid it (docs/rulings.md 160), documents in tool results
 * (161), an assistant's message first (168). Null where nothing has to change, which is nearly always. `text` is the
 * JSON text of `messages`.
 */
export function fitConversation(
  messages: readonly WireMessage[],
  target: Target,
  text: string,
): FittedConversation | null {
  const instructs = messages.some(isSystem);
  const shows_files = !target.model.input_modalities.includes("pdf") && messages.some(holdsDocument);
  const wants_user = target.vendor.quirks.user_first === true;
  if (!instructs && !shows_files && !wants_user) return null;
  const fitting = new ConversationFitting(messages);
  if (instructs) fitting.placeInstructions(target.model.mid_system === true);
  if (shows_files) fitting.carryDocuments();
  if (wants_user) fitting.beginWithUser();
  const { changes, ignored } = fitting;
  return changes.size === 0 ? null : { text: rewriteMessages(text, messages, changes), ignored: [...ignored] };
}

type Blocks = readonly { readonly type: string }[];

function blocksOf({ content }: WireMessage): Blocks {
  return content === undefined || typeof content === "string" ? [] : content;
}

/** The content blocks of a tool's result. */
function partsOf(block: { readonly type: string; readonly content?: unknown }): Blocks {
  return block.type === "tool_result" && Array.isArray(block.content) ? block.content : [];
}

function holdsDocument(message: WireMessage): boolean {
  return blocksOf(message).some((block) => isDocument(block) || partsOf(block).some(isDocument));
}

function isDocument({ type }: { readonly type: string }): boolean {
  return type === "document";
}

class ConversationFitting {
  readonly changes = new Map<number, MessageChange>();
  readonly ignored = new Set<string>();
  readonly #messages: readonly WireMessage[];
  readonly #last_of_user: number;

  constructor(messages: readonly WireMessage[]) {
    this.#messages = messages;
    this.#last_of_user = lastOfUser(messages);
  }

  /** A row of system messages stays where the vendor accepts it; elsewhere it becomes reminders in a user's turn. */
  placeInstructions(takes_them: boolean): void {
    const messages = this.#messages;
    for (let start = 0; start < messages.length; start++) {
      if (!isSystem(messages[start])) continue;
      let end = start + 1;
      while (isSystem(messages[end])) end++;
      if (!takes_them || !acceptsSystemMessages(messages, start, end)) this.#remind(start, end, takes_them);
      start = end;
    }
  }

  /** The reminders join the user's turn before them, else the user's turn after them, so that turns still alternate. */
  #remind(start: number, end: number, keeps_directives: boolean): void {
    const reminders: WireText[] = [];
    let first: number | null = null;
    for (let index = start; index < end; index++) {
      const message = this.#messages[index] as WireSystemTurn;
      // The API accepts directives anywhere.
      if (keeps_directives && isSettingsOnly(message)) continue;
      const said = readSystemTurn(message, index > this.#last_of_user);
      for (const what of said.left_out) this.ignored.add(`messages.${what}`);
      for (const block of said.texts) reminders.push({ ...block, text: asReminder(block.text) });
      this.changes.set(index, { kind: "removed" });
      first ??= index;
    }
    if (first === null || reminders.length === 0) return;
    if (this.#messages[start - 1]?.role === "user") this.#turn(start - 1).behind = reminders;
    else if (this.#messages[end]?.role === "user") this.#turn(end).before = reminders;
    else this.changes.set(first, { kind: "replaced", role: "user", content: reminders });
  }

  carryDocuments(): void {
    for (const [index, message] of this.#messages.entries()) {
      for (const [at, block] of blocksOf(message).entries()) {
        if (isDocument(block)) this.#carry(index, String(at), block);
        for (const [nth, part] of partsOf(block).entries()) {
          if (isDocument(part)) this.#carry(index, `${at}.${nth}`, part);
        }
      }
    }
  }

  #carry(index: number, place: string, document: { readonly type: string }): void {
    const carried = carryDocument(document as WireDocument);
    for (const what of carried.left_out) this.ignored.add(`messages.${what}`);
    this.#turn(index).parts.set(place, carried.blocks);
  }

  beginWithUser(): void {
    const first = this.#messages.findIndex(
      (message, index) => !isSystem(message) || this.changes.get(index)?.kind === "replaced",
    );
    if (this.#messages[first]?.role === "assistant") this.#turn(first).preceded_by = NO_CONTENT;
  }

  /** The changes inside one turn; none at first. */
  #turn(index: number): Extract<MessageChange, { kind: "changed" }> {
    const known = this.changes.get(index);
    if (known?.kind === "changed") return known;
    const change = { kind: "changed" as const, before: [], behind: [], parts: new Map(), preceded_by: null };
    this.changes.set(index, change);
    return change;
  }
}

/** The change to one message of a relayed conversation; in messages without a change every byte stays. */
type MessageChange =
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
function rewriteMessages(
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
