import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { conversationOf, itemsOf, References, sentIn, tooLong } from "./recall.ts";
import type { RecallSource } from "./recall-source.ts";

export interface ItemQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Only items after the item with this id. */
  readonly after: string | null;
}

/** The conversation that ends with a response, and how large it may be. */
export interface StoredConversation {
  readonly account_id: string;
  readonly id: string;
  readonly most_bytes: number;
}

interface ListedItem {
  readonly id: string;
}

export interface ItemPage {
  readonly object: "list";
  readonly data: readonly ListedItem[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/**
 * The input items of a response, including those of the responses before it, in the public API's pages. Null where the
 * response or a predecessor is not stored. A reference whose item is gone is listed as the reference.
 */
export async function listInputItems(
  memory: RecallSource,
  { account_id, id, most_bytes }: StoredConversation,
  { limit, order, after }: ItemQuery,
): Promise<ItemPage | null> {
  const found = await conversationOf(memory, account_id, id, most_bytes);
  if (found.kind === "missing") return null;
  if (found.kind === "too_long") throw tooLong("response_id", `is a conversation of ${found.why}`);
  const references = new References(memory, account_id, most_bytes);
  await references.lookUp(sentIn(found.turns));
  const items: ListedItem[] = [];
  for (const each of itemsOf(found.turns, references, false)) {
    if ("missing" in each) items.push({ type: "item_reference", id: each.missing } as ListedItem);
    else items.push(listed(each.item, each.id));
  }
  if (order === "desc") items.reverse();
  const start = after === null ? 0 : placeBehind(items, after);
  const data = items.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < items.length,
  };
}

/** An item in the form of the public API's lists: with id and type, and a message's text as parts. */
function listed(item: unknown, id: string): ListedItem {
  if (!isObject(item)) return { id };
  const type = typeof item.type === "string" ? item.type : "message";
  if (type !== "message" || typeof item.content !== "string") return { ...item, id, type } as ListedItem;
  const part = item.role === "assistant" ? "output_text" : "input_text";
  return { ...item, id, type, content: [{ type: part, text: item.content }] } as ListedItem;
}

function placeBehind(items: readonly ListedItem[], after: string): number {
  const at = items.findIndex(({ id }) => id === after);
  if (at !== -1) return at + 1;
  const message = `'after' is ${JSON.stringify(after.slice(0, 100))}, which is no item of this list.`;
  throw new GatewayError("unsupported_parameter", message, { param: "after" });
}
