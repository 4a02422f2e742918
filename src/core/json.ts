/** JSON as it comes from outside: parsed into `unknown`-safe types. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };
/** An object whose members nobody has checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a text that may be no JSON; null where it is none. For texts whose nesting nobody walks through. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The kind of a value, in words for an error message: `null`, `an array`, `a string`. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return value.length <= 40 ? `the string ${JSON.stringify(value)}` : "a string";
    case "number":
      return `the number ${value}`;
    case "boolean":
      return `the boolean ${value}`;
    case "object":
      return "an object";
    default:
      return typeof value;
  }
}

/**
 * The text of a value from outside: a string itself, other plain values as JavaScript writes them, an object or an array by what
 * it is. Never throws, which `String` does for an object with a `toString` of its own.
 */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? describe(value) : String(value);
}

/** The number that a value from outside is, as JavaScript reads it; none for an object or an array. Never throws, as `plainText`. */
export function plainNumber(value: unknown): number {
  return typeof value === "object" && value !== null ? Number.NaN : Number(value);
}

/**
 * The place of a member in an object's text: `start` is at its key's quote; its value is from `value_start` to `end`.
 */
export interface JsonMember {
  readonly start: number;
  readonly value_start: number;
  readonly end: number;
}

/** The top-level members of a JSON object's text by key (escapes decoded), in the order of the text. */
export interface JsonMembers {
  readonly size: number;
  has(key: string): boolean;
  get(key: string): JsonMember | undefined;
  /** The member's index, counted from 0; -1 when there is no such member. */
  indexOf(key: string): number;
  /** The `index`th member: `start` of the key, `value_start` and `end` of the value. */
  at(index: number): JsonMember;
  /**
   * `start`, `value_start` and `end` of the `index`th member, without an object: for checks that every request passes.
   */
  start(index: number): number;
  valueStart(index: number): number;
  end(index: number): number;
  keys(): readonly string[];
}
