import { isObject } from "../../core/json.ts";

/**
 * Whether a block's start is content: text and thinking start empty and may stay empty; a block of any other type is
 * content itself.
 */
export function startsWithContent(block: unknown): boolean {
  if (!isObject(block)) return false;
  return (block.type !== "text" || block.text !== "") && (block.type !== "thinking" || block.thinking !== "");
}
