/**
 * A copy of a text that shares no memory with others. A part of a text keeps the whole text alive, so what is remembered for
 * long would keep the head or the body in which somebody sent it. For texts that were read from bytes: half of a surrogate pair
 * would not survive.
 */
export function detachedText(text: string): string {
  return Buffer.from(text).toString();
}

/** Characters that end a header's line, that other readers take for its end, or that latin1 does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be sent.
const NOT_IN_VALUE = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** Whether a header can have the text as its value, as it is. */
export function isHeaderValue(text: string): boolean {
  return !NOT_IN_VALUE.test(text);
}
