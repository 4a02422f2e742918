import { isObject } from "../../core/json.ts";

/**
 * A call's arguments as an object, which is all that the API takes. What a model wrote that is no JSON object is kept
 * under a name, so that a conversation with a mistake in it can go on.
 */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : { input: parsed };
  } catch {
    return { input: text };
  }
}
