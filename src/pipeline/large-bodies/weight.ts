import { COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import { endOfString } from "../../protocols/shared/json-walk.ts";

/** A body is there as it came, as its parsed texts, and as the vendor's bytes. */
export const COPIES = 3;
/** An object or array, or an item's place and its own object: 40 bytes were measured for empty lists, 60 for a schema's members. */
const BYTES_PER_VALUE = 64;

/**
 * About how much memory a body takes while a thread keeps it, by its bytes and by how many values its text has: 32 MiB of one text take
 * three times that, 32 MiB of empty lists a gigabyte. The text is walked through once, and need not be valid JSON.
 */
export function weightOf(text: string, size_bytes: number): number {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        break;
      case COMMA:
      case OPEN_BRACKET:
      case OPEN_BRACE:
        values += 1;
        break;
    }
  }
  return COPIES * size_bytes + BYTES_PER_VALUE * values;
}
