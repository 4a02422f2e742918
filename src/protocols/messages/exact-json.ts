import { parseJson, refuseDeep } from "../shared/parse-json.ts";

/**
 * Functions that the runtime has and TypeScript's library does not declare yet: the source text of a parsed value, and
 * text that is written as a value.
 */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
const EXACT = JSON as JSON & ExactJson;

/**
 * At least 16 digits in a row, in a number that a double may not hold, or in a string: such a text is parsed the slower
 * way.
 */
const LONG_NUMBER = /\d{16}/;

/** Whether JSON text may hold a number that plain parsing would change. */
export function mayLoseDigits(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/**
 * Parses JSON so that it can be written again with every digit: a number that a double would change keeps its text,
 * which `JSON.stringify` writes. Many tools have ids of twenty digits as numbers; a model that sees another id than it
 * gave makes a wrong call. Throws the errors of `parseJson`.
 */
export function parseExact(text: string): unknown {
  if (!mayLoseDigits(text)) return parseJson(text);
  refuseDeep(text);
  return EXACT.parse(text, keepDigits);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return EXACT.rawJSON(source);
}
