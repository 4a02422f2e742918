import { CR, LF, ZERO } from "../../core/ascii.ts";

/** More bytes than a body's length, its line break and the empty line after it can take. */
export const LENGTH_ROOM = 24;

/**
 * Writes a body's length, its line break and the empty line that ends the head, so that they end right before `end`:
 * the length is known only once the body stands there. Returns where the digits begin.
 */
export function writeLength(bytes: Uint8Array, end: number, length: number): number {
  let at = end;
  for (let line = 0; line < 2; line += 1) {
    bytes[--at] = LF;
    bytes[--at] = CR;
  }
  let left = length;
  do {
    bytes[--at] = ZERO + (left % 10);
    left = Math.floor(left / 10);
  } while (left > 0);
  return at;
}
