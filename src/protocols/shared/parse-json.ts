import { REQUEST_BOUNDS } from "../../core/request-bounds.ts";
import { isDeep, isLong, isTooDeep } from "./json-shape.ts";

/**
 * `JSON.parse` for texts of clients, vendors and models. A value that nests deeper than the bound is an error like any
 * other: functions that walk through values may then call themselves for each level, as no value overflows the stack
 * (docs/rulings.md 140). Throws a SyntaxError.
 */
export function parseJson(text: string): unknown {
  if (isLong(text)) refuseDeep(text);
  const value: unknown = JSON.parse(text);
  if (!isLong(text) && isDeep(text, value)) throw tooDeep();
  return value;
}

/** Throws a SyntaxError for a text that nests deeper than the bound. */
export function refuseDeep(text: string): void {
  if (isTooDeep(text)) throw tooDeep();
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`it nests deeper than ${REQUEST_BOUNDS.levels} levels`);
}
