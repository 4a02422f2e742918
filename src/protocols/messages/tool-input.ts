import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";

/** The member in which public clients of this protocol give back arguments that are no JSON object. */
export const INVALID = "INVALID_JSON";

/**
 * A call's arguments as an object, as this protocol requires. Models write nothing for a tool without parameters, and
 * now and then text that is no object, or only the beginning of one: such text is kept under a fixed member.
 */
export function inputOf(args: string): JsonRecord {
  if (args.trim() === "") return {};
  try {
    const input = parseExact(args);
    if (isObject(input) && !isExactNumber(input)) return input;
  } catch {
    // Text that is not valid JSON is passed on too.
  }
  return { [INVALID]: args };
}

/**
 * The arguments as text, from the object of `inputOf`, or from that of a stream, which has the beginning of the text as members as
 * well.
 */
export function argumentsOf(input: JsonRecord): string {
  const invalid = input[INVALID];
  if (typeof invalid !== "string") return JSON.stringify(input);
  return Object.keys(input).length === 1 || Object.hasOwn(inputOf(invalid), INVALID) ? invalid : JSON.stringify(input);
}
