import { REMINDER_BYTES } from "../shared/substitute-texts.ts";
import type { WireMessage, WireSystemTurn, WireText } from "./wire-blocks.ts";

/**
 * System messages amid a conversation (docs/rulings.md 160): their content, and the places where vendors accept them.
 */

export function isSystem(message: Pick<WireMessage, "role"> | undefined): message is WireSystemTurn {
  return message?.role === "system";
}

/** Whether a message only changes settings of the vendor's: it has `output_config` and no content. */
export function isSettingsOnly({ content, output_config }: WireSystemTurn): boolean {
  return (content === undefined || (Array.isArray(content) && content.length === 0)) && isSet(output_config);
}

/**
 * Whether Anthropic's API accepts the row of system messages from `start` up to `end` at its place: after a user's
 * message, or after an assistant's message that ends with the result of a vendor's tool, and before an assistant's
 * message or at the end.
 */
export function acceptsSystemMessages(messages: readonly WireMessage[], start: number, end: number): boolean {
  const before = messages[start - 1];
  const behind = messages[end];
  if (behind !== undefined && behind.role !== "assistant") return false;
  return before?.role === "user" || (before?.role === "assistant" && endsInVendorsResult(before.content));
}

function endsInVendorsResult(content: string | readonly { readonly type: string }[]): boolean {
  const last = typeof content === "string" ? undefined : content.at(-1);
  return last?.type.endsWith("_tool_result") === true;
}

/** The content of a system message for a target that has no place for such messages. */
export interface SystemContent {
  readonly texts: readonly WireText[];
  /** The names of parts that only a vendor of this protocol can honour: types of blocks, `output_config`. */
  readonly left_out: readonly string[];
}

/**
 * Reads a system message. `is_last_word` is false where a user's message follows it: then a message that was to be
 * cleared at that point has no texts, as at the vendor.
 */
export function readSystemTurn(
  { content = [], clear_at, output_config }: WireSystemTurn,
  is_last_word: boolean,
): SystemContent {
  const blocks = typeof content === "string" ? [said(content)] : content;
  const left_out = blocks.filter((block) => !isText(block)).map(({ type }) => type);
  if (isSet(output_config)) left_out.push("output_config");
  const is_cleared = clear_at === "next_user_message" && !is_last_word;
  const texts = is_cleared ? [] : blocks.flatMap((block) => (isText(block) && block.text.trim() !== "" ? [block] : []));
  return { texts, left_out };
}

function said(text: string): WireText {
  return { type: "text", text };
}

export function lastOfUser(messages: readonly WireMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}

/** The bytes by which the system messages of a conversation may grow when they become a user's text. */
export function reminderBytes(messages: readonly WireMessage[]): number {
  let blocks = 0;
  for (const message of messages) {
    if (isSystem(message)) blocks += typeof message.content === "string" ? 1 : (message.content?.length ?? 0);
  }
  return blocks * REMINDER_BYTES;
}

function isText(block: { readonly type: string }): block is WireText {
  return block.type === "text";
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
