import { GatewayError } from "../../core/errors.ts";
import type { ToolCallPart } from "../../core/generation.ts";
import { plainText } from "../../core/json.ts";
import { nameOf } from "./namespaces.ts";

type Item = Readonly<Record<string, unknown>>;

/**
 * The calls of a conversation that have no result yet. This protocol lets a result name its call by the tool alone, and
 * others do not: it is the nearest call of that tool before it (docs/rulings.md 80).
 */
export class OpenCalls {
  /** The ids of each tool's calls, the newest last; answered ones among them are passed over. */
  readonly #ids = new Map<string, string[]>();
  readonly #answered = new Set<string>();

  add({ id, name }: ToolCallPart): void {
    // Some programs use an id again in a later turn.
    this.#answered.delete(id);
    const ids = this.#ids.get(name);
    if (ids === undefined) this.#ids.set(name, [id]);
    else ids.push(id);
  }

  /** The id of the call that a result answers. Throws 400 for one that names no call that is open. */
  answered(item: Item, place: string): string {
    const id = typeof item.call_id === "string" ? item.call_id : this.#nearest(item, place);
    this.#answered.add(id);
    return id;
  }

  #nearest(item: Item, place: string): string {
    const ids = this.#ids.get(nameOf(item)) ?? [];
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) if (!this.#answered.has(id)) return id;
    const name = plainText(item.name);
    const found = name === "" ? "has no 'call_id' and no 'name'" : `answers ${JSON.stringify(name.slice(0, 64))}`;
    const message = `'${place}' ${found}; allowed for this model: the 'call_id' of a call before it, or the 'name' of a tool whose call before it has no output yet.`;
    throw new GatewayError("invalid_responses_input", message, { param: place });
  }
}
