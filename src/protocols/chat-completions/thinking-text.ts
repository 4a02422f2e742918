import { isObject } from "../../core/json.ts";

/** The text of Mistral's `thinking` part: a string, or an array of text parts. */
export function thinkingText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  if (!Array.isArray(thinking)) return "";
  return thinking.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("");
}
