/** What a problem says of a text that a header cannot carry. */
export const UNSENDABLE = "a character that no header can carry";

/** Control characters, and characters that latin1 does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be sent.
const NOT_IN_HEADER = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** Whether a header of a request to a vendor can carry the text, without the blanks around it, which are not sent. */
export function isHeaderValue(text: string): boolean {
  return !NOT_IN_HEADER.test(text.trim());
}
