/** What the runtime has and TypeScript's library does not know yet: the text behind a value, and text as a value. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
const EXACT = JSON as JSON & ExactJson;

/** A number that a double may not hold, or as many digits in a string: worth the slower way of reading. */
const LONG_NUMBER = /\d{16}/;

/** Whether JSON text may hold a number that plain parsing would change. */
export function mayLoseDigits(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/**
 * Parses JSON so that it can be written again digit by digit: a number that a double would change stays the text that it
 * was, for `JSON.stringify` to write. Ids of twenty digits are numbers in many tools, and a model that is shown another
 * id than the one it gave calls for the wrong thing. Throws what `JSON.parse` throws.
 */
export function parseExact(text: string): unknown {
  return mayLoseDigits(text) ? EXACT.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return EXACT.rawJSON(source);
}
