/**
 * A copy of a text that shares no memory with others. A part of a text keeps the whole text alive, so what is remembered for
 * long would keep the head or the body in which somebody sent it. For texts that were read from bytes: half of a surrogate pair
 * would not survive.
 */
export function detachedText(text: string): string {
  return Buffer.from(text).toString();
}
