import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import { endOfString } from "./json-walk.ts";

/**
 * Whether a text is the beginning of a JSON object, array or string whose end never came (docs/rulings.md 172). Text that is
 * no JSON for another reason is not half of anything: `hello`, or two objects behind each other. Linear in the text.
 */
export function isHalfJson(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (end >= text.length && !isClosed(text, at)) return true;
        at = end - 1;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        if (depth < 0) return false;
    }
  }
  return depth > 0;
}

/** Whether the string from `start` to the end of the text has its closing quote. */
function isClosed(text: string, start: number): boolean {
  if (text.length - start < 2 || text.charCodeAt(text.length - 1) !== QUOTE) return false;
  let before = text.length - 2;
  while (before > start && text.charCodeAt(before) === 92) before--;
  return (text.length - before) % 2 === 0;
}
