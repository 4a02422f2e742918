import type { Message } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";

/**
 * Compaction for vendors that do not offer it (docs/rulings.md 167): an item of the type `compaction_trigger` at the
 * end of the input asks for a summary. The summary goes to the client as the `encrypted_content` of a `compaction`
 * item, which the client sends in later requests in place of the summarized turns. The summary is the client's own
 * conversation, so the content is only marked, not encrypted.
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

/** The user message that asks the model for a summary, in place of the trigger. */
export const compactionPrompt: Message = { role: "user", content: [{ type: "text", text: ASK }] };

/** The `encrypted_content` of the item that holds a summary. */
export function packSummary(text: string): string {
  return MARK + text;
}

/** Whether an item stands for what was said before it. */
export function isCompaction({ type }: JsonRecord): boolean {
  return TYPES.has(type);
}

/** The text that the model gets for a compaction item that this gateway wrote; null for any other item. */
export function summaryIn(item: JsonRecord): string | null {
  const { type, encrypted_content } = item;
  if (!TYPES.has(type) || typeof encrypted_content !== "string" || !encrypted_content.startsWith(MARK)) return null;
  return `${INTRODUCTION}\n\n${encrypted_content.slice(MARK.length)}`;
}
