import type { Vendor } from "../../core/catalog.ts";
import type { RecalledItem } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { findItems, replaceMembers } from "../shared/json-members.ts";
import { hasOurs } from "./seal.ts";

/** Input items, and the JSON of them. */
export interface InputItems {
  readonly text: string;
  readonly items: readonly unknown[];
}

/** Items whose ids say nothing but where a vendor stored them. */
const NAMED_BY_VENDOR: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/**
 * The input with its recalled items as one vendor takes them (docs/adr/0017). Reasoning goes back sealed to the vendor that
 * made it, and is left out everywhere else: no vendor can read it. Where reasoning of an answer is left out, or the
 * answer was another vendor's, its other items lose their ids: a vendor looks up what it knows by them, and misses the
 * reasoning that they came with.
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
  const texts: string[] = [];
  for (const [index, { start, end }] of findItems(given.text, 0).entries()) {
    const item = given.items[index];
    const from = recalled.get(item);
    if (from !== undefined && !goesBack(item, from, vendor)) continue;
    const text = given.text.slice(start, end);
    items.push(item);
    texts.push(from !== undefined && incomplete.has(from.response_key) ? withoutId(item, text) : text);
  }
  return { text: `[${texts.join(",")}]`, items };
}

function goesBack(item: unknown, from: RecalledItem, { id, quirks }: Vendor): boolean {
  if (!isObject(item) || item.type !== "reasoning") return true;
  const { encrypted_content } = item;
  if (typeof encrypted_content !== "string" || encrypted_content === "") {
    // Some vendors take the plain text of reasoning back.
    return from.vendor === id && quirks.reasoning_replay !== undefined;
  }
  // What this gateway sealed is told apart by whose family it is, later on.
  return from.vendor === id || hasOurs(JSON.stringify(encrypted_content));
}

function withoutId(item: unknown, text: string): string {
  if (!isObject(item) || !NAMED_BY_VENDOR.has(item.type) || item.id === undefined) return text;
  return replaceMembers(text, new Map([["id", null]]));
}
