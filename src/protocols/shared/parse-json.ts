import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { GatewayError } from "../../core/errors.ts";
import { describe, isObject } from "../../core/json.ts";
import { placePath } from "./json-place.ts";
import { type Excess, findExcess, isDeep, isLong, isTooDeep, mayExceed } from "./json-shape.ts";

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

/** The same, and null for what is no JSON. */
export function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** Throws a SyntaxError for a text that nests deeper than the bound. */
export function refuseDeep(text: string): void {
  if (isTooDeep(text)) throw tooDeep();
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`it nests deeper than ${REQUEST_BOUNDS.levels} levels`);
}

/**
 * Parses a request body, which must be a JSON object within the bounds of docs/rulings.md 140. A body that is not
 * declared `application/json` is parsed all the same (docs/rulings.md 15). Throws `invalid_json` otherwise.
 */
export function parseBody(text: string): Record<string, unknown> {
  if (isLong(text)) refuseExcess(text);
  const body = tryParse(text);
  if (!isLong(text) && mayExceed(text, body)) refuseExcess(text);
  if (isObject(body) && !(body instanceof Error)) return body;
  if (!(body instanceof Error)) {
    throw new GatewayError("invalid_json", `The body is ${describe(body)}; allowed: a JSON object.`);
  }
  throw new GatewayError("invalid_json", `The body is not valid JSON${reason(text, body)}. Send one JSON object.`);
}

/** The parsed value; throws the error that says why the text is not JSON. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error("unreadable");
  }
}

function reason(text: string, error: Error): string {
  if (text.trim() === "") return ": it is empty";
  const message = error.message.replace(/^JSON Parse error: /, "");
  return message === "" ? "" : `: ${message.slice(0, 200).replace(/\.$/, "")}`;
}

function refuseExcess(text: string): void {
  const excess = findExcess(text);
  if (excess !== null) throw excessive(excess);
}

/** The most steps of a place that are shown: those of a deep value would fill the whole message. */
const SHOWN_STEPS = 6;

function excessive({ kind, found, steps }: Excess): GatewayError {
  const path = placePath({ steps: steps.slice(0, SHOWN_STEPS) });
  const where = path === "" ? "The body" : `'${path}'`;
  const { levels, members } = REQUEST_BOUNDS;
  const what =
    kind === "levels"
      ? `holds values that are nested ${found} levels deep, counted from the body; allowed: at most ${levels} levels`
      : `has ${found} members; allowed: at most ${members} in an object outside schemas and the arguments of tools`;
  return new GatewayError("invalid_json", `${where} ${what}.`, { param: path === "" ? null : path });
}
