import { isObject } from "../../core/json.ts";

/**
 * The id of the item that an input item refers to; null for an item that is no reference. A reference may leave its
 * type out.
 */
export function referenceOf(item: unknown): string | null {
  if (!isObject(item) || typeof item.id !== "string") return null;
  if (item.type === "item_reference") return item.id;
  return (item.type ?? null) === null && item.role === undefined ? item.id : null;
}
