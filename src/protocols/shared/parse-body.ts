import { GatewayError } from "../../core/errors.ts";
import { describe, isObject } from "../../core/json.ts";

/**
 * Parses a request body, which must be a JSON object. A body that is not declared `application/json` is parsed all the
 * same (docs/rulings.md 15). Throws `invalid_json` otherwise.
 */
export function parseBody(text: string): Record<string, unknown> {
  const body = tryParse(text);
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
