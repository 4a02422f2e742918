import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import type { JsonRecord } from "../../core/json.ts";
import { endOfString } from "./json-walk.ts";

/**
 * The shape of a JSON text (docs/rulings.md 140): how deep it nests, and how many members its objects have. Deep nesting overflows the stack of
 * whatever walks through the value, and an object with millions of members takes seconds to build.
 */

/** A part of a body that exceeds a bound: its place and its size. */
export interface Excess {
  readonly kind: "levels" | "members";
  readonly found: number;
  /** Keys and indexes from the whole text to the object or array. */
  readonly steps: readonly (string | number)[];
}

const { levels: MOST_LEVELS, members: MOST_MEMBERS } = REQUEST_BOUNDS;

/** No shorter text is valid JSON and has more levels: each has its two brackets. No shorter text has more members either. */
const SHORTEST = 2 * (MOST_LEVELS + 1);
/**
 * Texts from this length on are judged before they are parsed. What a shorter text can hold is parsed in some 50 ms at
 * most, and its parsed value is judged in a tenth of the time that the text takes.
 */
const LONG = 2 ** 20;

/** Whether a text is judged before it is parsed. */
export function isLong(text: string): boolean {
  return text.length >= LONG;
}

/** Whether a value that was parsed from a text may have an excess; `findExcess` tells whether it has. */
export function mayExceed(text: string, value: unknown): boolean {
  return text.length >= SHORTEST && isObjectOrArray(value) && exceeds(value, MOST_LEVELS, MOST_MEMBERS);
}

/** Whether a value that was parsed from a text nests deeper than the bound. */
export function isDeep(text: string, value: unknown): boolean {
  return text.length >= SHORTEST && isObjectOrArray(value) && exceeds(value, MOST_LEVELS, Number.POSITIVE_INFINITY);
}

/** Whether a text nests deeper than the bound. */
export function isTooDeep(text: string): boolean {
  return text.length >= SHORTEST && walk(text, Number.POSITIVE_INFINITY) !== null;
}

/** The first excess of a text, or null. A text that is not valid JSON has any result: parsing it tells. */
export function findExcess(text: string): Excess | null {
  return text.length < SHORTEST ? null : walk(text, MOST_MEMBERS);
}

function isObjectOrArray(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value has more levels, or an object in it more members. It calls itself once for each level at most. */
function exceeds(value: object, levels: number, most_members: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (isObjectOrArray(item) && exceeds(item, levels - 1, most_members)) return true;
    }
    return false;
  }
  let members = 0;
  for (const key in value) {
    members += 1;
    const member = (value as JsonRecord)[key];
    if (isObjectOrArray(member) && exceeds(member, levels - 1, most_members)) return true;
  }
  return members > most_members;
}

/** The objects and arrays that are open at a place of the text, outermost first. */
class OpenValues {
  depth = 0;
  /** The index of the current item of an array; the number of keys so far of an object. */
  readonly counts = new Int32Array(MOST_LEVELS + 1);
  /** The position of the current key of an object, on each level; -1 for an array. */
  readonly keys = new Int32Array(MOST_LEVELS + 1);

  open(is_array: boolean): void {
    this.depth += 1;
    this.counts[this.depth] = 0;
    this.keys[this.depth] = is_array ? -1 : 0;
  }

  /** The steps from the whole text to the innermost open value, whose own key or index is not one of them. */
  steps(text: string): (string | number)[] {
    const steps: (string | number)[] = [];
    for (let level = 1; level < this.depth; level++) {
      const key = this.keys[level] as number;
      steps.push(key === -1 ? (this.counts[level] as number) : keyAt(text, key));
    }
    return steps;
  }
}

function walk(text: string, most_members: number): Excess | null {
  const open = new OpenValues();
  const { counts, keys } = open;
  let string_start = 0;
  /** The level of an object with many members that are the client's own; what is inside it is not judged. */
  let own_level = Number.POSITIVE_INFINITY;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        string_start = at;
        at = endOfString(text, at) - 1;
        break;
      case COLON: {
        const members = (counts[open.depth] as number) + 1;
        counts[open.depth] = members;
        keys[open.depth] = string_start;
        if (members <= most_members || open.depth >= own_level) break;
        const steps = open.steps(text);
        if (!isClientsOwn(steps)) return { kind: "members", found: members + membersFrom(text, at + 1), steps };
        own_level = open.depth;
        break;
      }
      case COMMA:
        if (keys[open.depth] === -1) counts[open.depth] = (counts[open.depth] as number) + 1;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (open.depth === MOST_LEVELS)
          return { kind: "levels", found: MOST_LEVELS + levelsFrom(text, at), steps: open.steps(text) };
        open.open(text.charCodeAt(at) === OPEN_BRACKET);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (open.depth === 0) return null;
        open.depth -= 1;
        if (open.depth < own_level) own_level = Number.POSITIVE_INFINITY;
        break;
    }
  }
  return null;
}

/** How many levels follow each other, at most, in the rest of the text. */
function levelsFrom(text: string, from: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return deepest;
}

/** How many members follow up to the end of the object in which the text goes on at `from`. */
function membersFrom(text: string, from: number): number {
  let depth = 0;
  let members = 0;
  for (let at = from; at < text.length && depth >= 0; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
    else if (code === COLON && depth === 0) members += 1;
  }
  return members;
}

/** The most characters of a key that are shown. */
const LONGEST_KEY = 80;

function keyAt(text: string, start: number): string {
  const end = endOfString(text, start);
  if (end - start > LONGEST_KEY) return `${text.slice(start + 1, start + LONGEST_KEY)}…`;
  const raw = text.slice(start, end);
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw;
  }
}

/** Members of a request inside which tools and schemas are declared, or tools are called. */
const HOLDERS: ReadonlySet<unknown> = new Set([
  ...["tools", "functions", "messages", "input"],
  ...["response_format", "text", "output_config", "output_format"],
]);
/** The members there whose values are schemas and arguments. */
const OWN: ReadonlySet<unknown> = new Set([
  ...["parameters", "input_schema", "schema", "input", "arguments", "args", "response"],
  ...["parametersJsonSchema", "responseSchema", "responseJsonSchema"],
]);

/** Whether a place is inside a schema or a tool's arguments: how many members those have is the client's business. */
function isClientsOwn([top, ...steps]: readonly (string | number)[]): boolean {
  return HOLDERS.has(top) && steps.some((step) => OWN.has(step));
}
