import type { Target } from "../../core/answer/exchange.ts";
import { asReminder, NO_CONTENT } from "../shared/substitute-texts.ts";
import { carryDocument } from "./carry-document.ts";
import { type MessageChange, rewriteMessages } from "./rewrite-messages.ts";
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
