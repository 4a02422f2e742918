import { isHeaderValue } from "../../core/texts.ts";

/** What a problem says of a text that a header cannot carry. */
export const UNSENDABLE = "a character that no header can carry";

/** Whether a header of a request to a vendor can carry the text, without the blanks around it, which are not sent. */
export function isSendable(text: string): boolean {
  return isHeaderValue(text.trim());
}
