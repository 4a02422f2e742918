/** Texts that give a model content for which its protocol has no field. */

const OPEN = "<system-reminder>";
const CLOSE = "</system-reminder>";

/**
 * A system message's text as a part of a user message (docs/rulings.md 160): between the tags that Anthropic's own
 * client uses for reminders. Text that already stands between these tags stays as it is.
 */
export function asReminder(text: string): string {
  const said = text.trim();
  const is_one = said.startsWith(OPEN) && said.indexOf(CLOSE) === said.length - CLOSE.length;
  return is_one ? text : `${OPEN}\n${text}\n${CLOSE}`;
}

/** The most bytes that `asReminder` adds to a text. */
export const REMINDER_BYTES = OPEN.length + CLOSE.length + 2;

/**
 * The text of a user message that is put first where a target requires a user's message first and the conversation
 * begins with the assistant (docs/rulings.md 168): Anthropic's own client writes this text for a message without
 * content.
 */
export const NO_CONTENT = "(no content)";

/** The result of a call that was never answered, for targets that require one (docs/rulings.md 191). */
export const NO_RESULT = "(no result)";

/** The words in front of a call's result that stands in a user's message. */
export function resultOf(call_id: string): string {
  return call_id === "" ? "The result of a tool call:" : `The result of the tool call ${call_id}:`;
}
