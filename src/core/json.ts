/** JSON as it comes from outside: parsed into `unknown`-safe types. */

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a value is, in a word that an error message can use: `null`, `an array`, `a string`. */
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
