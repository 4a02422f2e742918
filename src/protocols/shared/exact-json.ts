import { isObject } from "../../core/json.ts";
import { parseJson, refuseDeep } from "./parse-json.ts";

/**
 * JSON that keeps its numbers digit by digit (docs/rulings.md 193). Many tools have ids of twenty digits as numbers, and a model that
 * sees another id than it gave makes a wrong call; schemas have bounds that no double holds.
 *
 * These are functions that the runtime has and TypeScript's library does not declare yet: the source text of a parsed value, and
 * text that is written as a value.
 */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
const EXACT = JSON as JSON & ExactJson;

/**
 * A number that plain parsing may change, in a place where a number can stand: `-0`, 16 digits or more, a last decimal of 0, an
 * exponent. A hit within a string only means that the text is parsed the slower way.
 */
const CHANGED_NUMBER = /(?:^|[\s:,[])-?(?:0(?<=-0)(?![\d.eE])|[\d.]{16}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE])/;

/** Whether JSON text may hold a number that plain parsing would change. */
export function mayLoseDigits(text: string): boolean {
  return CHANGED_NUMBER.test(text);
}

/**
 * Parses JSON so that it can be written again with every digit: a number that a double would change keeps its text,
 * which `JSON.stringify` writes. To code that expects a number it is none. Throws the errors of `parseJson`.
 */
export function parseExact(text: string): unknown {
  if (!mayLoseDigits(text)) return parseJson(text);
  refuseDeep(text);
  return EXACT.parse(text, keepDigits);
}

/** The same for what stands under one of these keys, at any depth; all other numbers are numbers. */
export function parseExactUnder(keys: ReadonlySet<string>, text: string): unknown {
  // The keys are looked for first: most events of a stream have none of them.
  if (!namesOne(keys, text) || !mayLoseDigits(text)) return parseJson(text);
  return plainOutside(keys, parseExact(text));
}

/** The same, and null for what is no JSON. */
export function exactOrNull(keys: ReadonlySet<string>, text: string): unknown {
  try {
    return parseExactUnder(keys, text);
  } catch {
    return null;
  }
}

/** Whether a value of `parseExact` is a number that keeps its text. */
export function isExactNumber(value: unknown): boolean {
  return EXACT.isRawJSON(value);
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return EXACT.rawJSON(source);
}

function namesOne(keys: ReadonlySet<string>, text: string): boolean {
  // A key may be written with escapes.
  for (const key of keys) if (text.indexOf(`"${key}"`) !== -1) return true;
  return text.indexOf("\\u") !== -1;
}

/** Makes the numbers outside of these keys plain again, in place. */
function plainOutside(keys: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = plainOutside(keys, item);
    return value;
  }
  if (!isObject(value)) return value;
  if (EXACT.isRawJSON(value)) return Number(value.rawJSON);
  for (const key in value) {
    if (keys.has(key)) continue;
    const plain = plainOutside(keys, value[key]);
    if (plain !== value[key]) value[key] = plain;
  }
  return value;
}
