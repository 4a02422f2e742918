import type { RecalledItem } from "../../core/answer/exchange.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import { isObject } from "../../core/json.ts";
import { mapItems, replaceMembers } from "../shared/json-members.ts";
import { mayHoldOwnContent } from "./seal.ts";

/** Input items, parsed and as JSON text. */
export interface InputItems {
  readonly text: string;
  readonly items: readonly unknown[];
}

/** Items whose ids only name them in the vendor's store. */
const NAMED_BY_VENDOR: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/**
 * The input with its recalled items, for one vendor (docs/adr/0017). Sealed reasoning goes back to the vendor that made
 * it and is left out for every other vendor, which could not read it. Where an answer's reasoning is left out, or
 * another vendor wrote the answer, its other items lose their ids: a vendor looks items up by their ids, and misses the
 * reasoning that came with them.
 */
export function recalledInput(
  given: InputItems,
  recalled: ReadonlyMap<unknown, RecalledItem> | undefined,
  vendor: Vendor,
): InputItems {
  if (recalled === undefined || recalled.size === 0) return given;
  const incomplete = new Set<string>();
  for (const [item, from] of recalled) {
    if (from.vendor !== vendor.id || !goesBack(item, from, vendor)) incomplete.add(from.response_key);
  }
  if (incomplete.size === 0) return given;
  const items: unknown[] = [];
  const text = mapItems(given.text, (sent, index) => {
    const item = given.items[index];
    const from = recalled.get(item);
    if (from !== undefined && !goesBack(item, from, vendor)) return null;
    items.push(item);
    return from !== undefined && incomplete.has(from.response_key) ? withoutId(item, sent) : sent;
  });
  return { text, items };
}

function goesBack(item: unknown, from: RecalledItem, { id, quirks }: Vendor): boolean {
  if (!isObject(item) || item.type !== "reasoning") return true;
  const { encrypted_content } = item;
  if (typeof encrypted_content !== "string" || encrypted_content === "") {
    // Some vendors accept the plain text of reasoning.
    return from.vendor === id && quirks.reasoning_replay !== undefined;
  }
  // A later step decides by its family about reasoning that this gateway sealed.
  return from.vendor === id || mayHoldOwnContent(JSON.stringify(encrypted_content));
}

function withoutId(item: unknown, text: string): string {
  if (!isObject(item) || !NAMED_BY_VENDOR.has(item.type) || item.id === undefined) return text;
  return replaceMembers(text, new Map([["id", null]]));
}
