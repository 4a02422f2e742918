import type { VendorQuirks } from "../../core/catalog/catalog.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";

/** The text of a reasoning item: the model's own words where the item has them, else the parts of their summary. */
export function reasoningText({ content, summary }: JsonRecord): string {
  const own = textsOf(content);
  return (own.length > 0 ? own : textsOf(summary)).join("\n\n");
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  const texts: string[] = [];
  for (const part of parts as readonly unknown[])
    if (isObject(part) && typeof part.text === "string") texts.push(part.text);
  return texts;
}

/**
 * Reasoning as an input item with plain text, for vendors that accept it; none for others: the public API refuses an
 * item that it did not write.
 */
export function replayedText(text: string, { reasoning_replay }: VendorQuirks): readonly JsonRecord[] {
  if (text === "" || (reasoning_replay !== "reasoning_content" && reasoning_replay !== "reasoning_details")) return [];
  return [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] }];
}
