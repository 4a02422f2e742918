import type { Message } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";

/**
 * Compaction where the vendor has none (docs/rulings.md 167): an item of the type `compaction_trigger` at the end of the
 * input asks for a summary, which goes out as the `encrypted_content` of a `compaction` item and comes back in place of what
 * it stands for. The text is the client's own conversation, so that it is marked and not hidden.
 */
const MARK = "camino:summary:";
const TYPES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary", "context_compaction"]);

const ASK = `The context of this conversation is about to be replaced by a summary that you write now. Whoever reads it goes on with the work and has seen nothing else. Say what was asked for, with every condition and preference that was stated; what was done, decided and found out, and why; the exact names, paths, commands, values and messages that matter; what failed; what is still to be done, and the next step. Write nothing but the summary, and call no tools.`;
const INTRODUCTION = "What was said before is replaced by this summary of it:";

/** Whether the last item of an input asks for the conversation to be compacted. */
export function wantsCompaction(input: unknown): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === "compaction_trigger";
}

/** What the model is asked in its place. */
export const compactionAsk: Message = { role: "user", content: [{ type: "text", text: ASK }] };

/** The `encrypted_content` of the item that stands for a summary. */
export function packSummary(text: string): string {
  return MARK + text;
}

/** The text that goes to the model for a compaction item of this gateway's; null for any other item. */
export function summaryIn(item: Readonly<Record<string, unknown>>): string | null {
  const { type, encrypted_content } = item;
  if (!TYPES.has(type) || typeof encrypted_content !== "string" || !encrypted_content.startsWith(MARK)) return null;
  return `${INTRODUCTION}\n\n${encrypted_content.slice(MARK.length)}`;
}
