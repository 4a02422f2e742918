import { isObject } from "../../core/json.ts";

/** The text of a `thinking` part, as Mistral has it: a string, or an array of text parts. */
export function thoughtOf(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  if (!Array.isArray(thinking)) return "";
  return thinking.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}
