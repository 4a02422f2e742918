import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber, parseExact } from "./exact-json.ts";

/**
 * A call's arguments as an object, because some vendors' APIs accept nothing else. Arguments that are no JSON object are kept
 * under a fixed name, so that a conversation with such a mistake can continue.
 */
export function parseArguments(text: string): JsonRecord {
  if (text.trim() === "") return {};
  try {
    const parsed = parseExact(text);
    return isObject(parsed) && !isExactNumber(parsed) ? parsed : { input: parsed };
  } catch {
    return { input: text };
  }
}
