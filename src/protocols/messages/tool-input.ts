import { isObject } from "../../core/json.ts";
import { parseExact } from "./exact-json.ts";

/** The member under which public clients of this style hand back arguments that are no JSON object. */
const INVALID = "INVALID_JSON";

/**
 * A call's arguments as the object that this style has for them. Models write none for a tool without parameters, and
 * now and then something that is no object, or only the beginning of one: that is kept as text.
 */
export function inputOf(args: string): Readonly<Record<string, unknown>> {
  if (args.trim() === "") return {};
  try {
    const input = parseExact(args);
    if (isObject(input)) return input;
  } catch {
    // What a model wrote is passed on, valid or not.
  }
  return { [INVALID]: args };
}

/** The arguments that an object came from. */
export function argumentsOf(input: Readonly<Record<string, unknown>>): string {
  const invalid = input[INVALID];
  return typeof invalid === "string" && Object.keys(input).length === 1 ? invalid : JSON.stringify(input);
}
