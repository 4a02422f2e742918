import type { ClientRequest, Target } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import { historyRole, historyText, isCarried } from "../shared/history-items.ts";
import { findItems } from "../shared/json-members.ts";
import { namesVendorState } from "../shared/vendor-state.ts";
import type { InputItems } from "./recalled-input.ts";

type Item = Readonly<Record<string, unknown>>;

/**
 * The input of a relay whose vendor keeps what its replayed items name, such as the container that code ran in. A
 * container may be another account's, and a call would run in it: unless the gateway knows from its own memory that this
 * vendor told this account of it, or the operator allows it, such an item is carried as text, with the items of the same
 * call (docs/rulings.md 149). Null where nothing has to change.
 */
export function replayedHistory(
  { text, items }: InputItems,
  { memory }: Pick<ClientRequest, "memory">,
  { vendor }: Target,
): (InputItems & { readonly carried: readonly string[] }) | null {
  if (vendor.shared_state === "allow") return null;
  const isOwn = (item: Item) => memory?.recalled.get(item)?.vendor === vendor.id;
  const named = items.filter((item): item is Item => isObject(item) && isCarried(item) && !isOwn(item));
  const carried = new Set<unknown>(named.filter(namesVendorState));
  if (carried.size === 0) return null;
  const calls = new Set([...carried].map((item) => (isObject(item) ? item.call_id : null)));
  for (const item of named) if (typeof item.call_id === "string" && calls.has(item.call_id)) carried.add(item);
  const kept: unknown[] = [];
  const texts: string[] = [];
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const item = items[index];
    const said = isObject(item) && carried.has(item) ? asMessage(item) : item;
    kept.push(said);
    texts.push(said === item ? text.slice(start, end) : JSON.stringify(said));
  }
  const types = [...carried].map((item) => (isObject(item) ? `input.${String(item.type)}` : "input"));
  return { text: `[${texts.join(",")}]`, items: kept, carried: [...new Set(types)] };
}

function asMessage(item: Item): Item {
  const text = historyText(item);
  return historyRole(item) === "user"
    ? { type: "message", role: "user", content: [{ type: "input_text", text }] }
    : { type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}
