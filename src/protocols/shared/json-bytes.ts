import { BACKSLASH, QUOTE, SPACE, TAB } from "../../core/ascii.ts";

/** Walks through the bytes of JSON that is known to be valid, for frames that nobody decodes. */

/** The index after a string that starts at `start`; the length of the bytes where it has no end. */
export function endOfStringBytes(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (bytes[before - 1] === BACKSLASH) before--;
    // An even number of backslashes stands for itself.
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return bytes.length;
}

/** The index of the first byte from `from` on that is no blank; a frame has its data on one line. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  return at;
}
