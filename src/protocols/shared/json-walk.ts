import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";

/** Walks through the text of JSON that is known to be valid. */

/**
 * So many characters are looked at one by one: most strings are no longer, and in long texts with quotes the next quote is
 * near. Beyond them the runtime's search is faster.
 */
const NEAR = 24;

/** The index after a string that starts at `start`. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    for (const far = at + NEAR; at < far; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at++;
    }
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    if (!isEscaped(text, quote, at)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes stands before `at`, of those that do not belong to what is before `from`. */
function isEscaped(text: string, at: number, from: number): boolean {
  let before = at - 1;
  while (before >= from && text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** The index after a value that starts at `start`. */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        if (depth === 0) return at;
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return endOfScalar(text, start, at);
        depth--;
        if (depth === 0) return at + 1;
        break;
      case COMMA:
        if (depth === 0) return endOfScalar(text, start, at);
        break;
    }
    at++;
  }
  return at;
}

/** Arrays with more closing brackets than this, inside or after them, are walked through. */
const MAX_BRACKETS = 16;

/** The index after the value of a member of the object that is the whole text. */
export function endOfMember(text: string, start: number): number {
  const end = text.charCodeAt(start) === OPEN_BRACKET ? onlyEndOfArray(text, start) : -1;
  return end === -1 ? endOfValue(text, start) : end;
}

/**
 * The end of an array that is a member's value, where it can be found without a walk through the array, else -1. After
 * such an array stands another key or the end of the whole object, so if exactly one closing bracket has that after it,
 * in a string or not, this bracket ends the array. The arrays of most conversations and answers end so.
 */
function onlyEndOfArray(text: string, start: number): number {
  let end = -1;
  let at = start;
  for (let brackets = 0; brackets < MAX_BRACKETS; brackets++) {
    const bracket = text.indexOf("]", at);
    if (bracket === -1) return end;
    at = bracket + 1;
    if (!endsMember(text, at)) continue;
    if (end !== -1) return -1;
    end = at;
  }
  return -1;
}

/** Whether a member of the whole object may end here, judged by the text that follows. */
function endsMember(text: string, end: number): boolean {
  const next = skipWhitespace(text, end);
  const code = text.charCodeAt(next);
  if (code === COMMA) return text.charCodeAt(skipWhitespace(text, next + 1)) === QUOTE;
  return code === CLOSE_BRACE && skipWhitespace(text, next + 1) === text.length;
}

/** The end of a number, `true`, `false` or `null`, without the white space behind it. */
function endOfScalar(text: string, start: number, stop: number): number {
  let end = stop;
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--;
  return end;
}

export function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (isWhitespace(text.charCodeAt(at))) at++;
  return at;
}

export function isWhitespace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
