/**
 * A copy of a text that shares no memory with others. A substring keeps its whole string alive, so a remembered one would keep the head or
 * the body of the request that contained it. Only for texts that were read from bytes, as half of a surrogate pair would be lost.
 */
export function detachedText(text: string): string {
  return Buffer.from(text).toString();
}

/** Characters that end a header line, for us or for other readers, or that latin1 cannot encode. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be sent.
const NOT_IN_VALUE = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** Whether a text can be sent unchanged as the value of a header. */
export function isHeaderValue(text: string): boolean {
  return !NOT_IN_VALUE.test(text);
}
