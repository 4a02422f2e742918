/** A plain reader of where the parts of a valid JSON text stand, which shares no code with the gateway's. */

export interface Part {
  /** The decoded key; empty in an array. */
  readonly key: string;
  /** Where the key begins; in an array where the value begins. */
  readonly start: number;
  readonly value_start: number;
  readonly end: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gy;
const BLANKS = /[ \t\n\r]*/y;

/** The members of an object, or the items of an array, that begins at `from`. The text must be valid JSON. */
export function partsOf(text: string, from = 0): Part[] {
  const tokens = tokensFrom(text, from);
  const opening = tokens.next().value;
  const is_object = opening?.text === "{";
  const parts: Part[] = [];
  let depth = 1;
  let key: Token | null = null;
  let first: Token | null = null;
  let last: Token | null = null;
  for (const token of tokens) {
    const ends = depth === 1 && (token.text === "," || token.text === "}" || token.text === "]");
    if (ends) {
      if (first !== null && last !== null)
        parts.push({
          key: key === null ? "" : (JSON.parse(key.text) as string),
          start: (key ?? first).at,
          value_start: first.at,
          end: last.at + last.text.length,
        });
      key = first = last = null;
      if (token.text !== ",") return parts;
      continue;
    }
    if (token.text === "{" || token.text === "[") depth += 1;
    if (token.text === "}" || token.text === "]") depth -= 1;
    if (is_object && key === null) key = token;
    else if (depth === 1 && token.text === ":" && first === null) continue;
    else {
      first ??= token;
      last = token;
    }
  }
  return parts;
}

/** How many objects and arrays are one in another, at most. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const token of tokensFrom(text, 0)) {
    if (token.text === "{" || token.text === "[") deepest = Math.max(deepest, ++depth);
    if (token.text === "}" || token.text === "]") depth -= 1;
  }
  return deepest;
}

interface Token {
  readonly at: number;
  readonly text: string;
}

function* tokensFrom(text: string, from: number): Generator<Token, undefined> {
  let at = from;
  for (;;) {
    BLANKS.lastIndex = at;
    BLANKS.exec(text);
    at = BLANKS.lastIndex;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return undefined;
    yield { at, text: found[0] };
    at = TOKEN.lastIndex;
  }
}
