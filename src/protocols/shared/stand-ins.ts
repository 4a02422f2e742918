/** Texts that say to a model what its protocol has no place for. */

const OPEN = "<system-reminder>";
const CLOSE = "</system-reminder>";

/**
 * What a system message says, as a part of what the user says (docs/rulings.md 160): between the tags that Anthropic's own
 * client uses for it. Text that comes between them already stays as it is.
 */
export function asReminder(text: string): string {
  const said = text.trim();
  const is_one = said.startsWith(OPEN) && said.indexOf(CLOSE) === said.length - CLOSE.length;
  return is_one ? text : `${OPEN}\n${text}\n${CLOSE}`;
}

/** Bytes that `asReminder` adds to a text at most. */
export const REMINDER_BYTES = OPEN.length + CLOSE.length + 2;

/**
 * What the user says where a target wants a conversation to begin with the user and the assistant begins it
 * (docs/rulings.md 168): what Anthropic's own client writes for a message without content.
 */
export const NO_CONTENT = "(no content)";
