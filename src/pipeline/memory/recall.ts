import type { RecalledItem } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { referenceOf } from "../../protocols/responses/reference-of.ts";
import { itemsById } from "./kept-answer.ts";
import { type RecalledTurn, type RecallSource, readTurn } from "./recall-source.ts";
import { MOST_TURNS } from "./response-memory.ts";

/**
 * The ids of input items that the client sent without one: made from the response's key and the item's position, so
 * that no id needs to be stored. The key is a keyed hash, which discloses nothing.
 */
interface InputItemPlace {
  readonly response_key: string;
  readonly index: number;
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
};
const ID = /^[a-z]+_([0-9a-f]{32})([0-9a-z]{2,5})$/;

/** The id of an input item: its own where it has one. */
function inputItemId(item: unknown, { response_key, index }: InputItemPlace): string {
  if (!isObject(item)) return `item_${response_key}${placeText(index)}`;
  if (typeof item.id === "string" && item.id !== "") return item.id;
  const prefix = PREFIXES[typeof item.type === "string" ? item.type : "message"] ?? "item";
  return `${prefix}_${response_key}${placeText(index)}`;
}

function placeText(index: number): string {
  return index.toString(36).padStart(2, "0");
}

/** The place that such an id names; null for an id of another kind. */
function placeOfInputItem(id: string): InputItemPlace | null {
  const [, response_key, place] = ID.exec(id) ?? [];
  if (response_key === undefined || place === undefined) return null;
  return { response_key, index: Number.parseInt(place, 36) };
}

/** More references than any real conversation has: each needs a lookup. */
const MOST_REFERENCES = 4096;

/** An item after its reference, if it was one, was resolved. */
export interface ResolvedItem {
  readonly item: unknown;
  /** The id under which lists show the item. */
  readonly id: string;
  /** Null for an item that the client sent itself. */
  readonly from: RecalledItem | null;
}

/** An item reference without a stored item. */
export interface MissingItem {
  readonly missing: string;
}

/** The conversation up to a response, or what is missing of it. */
export type Conversation =
  | { readonly kind: "found"; readonly turns: readonly RecalledTurn[] }
  | { readonly kind: "missing" }
  | { readonly kind: "too_long"; readonly why: string };

/** Reads the turns of the conversation that ends with a response. */
export async function conversationOf(
  memory: RecallSource,
  account_id: string,
  id: string,
  most_bytes: number,
): Promise<Conversation> {
  const found = await memory.turns(account_id, id, most_bytes);
  if (found === null) return { kind: "missing" };
  if (found.length >= MOST_TURNS) return { kind: "too_long", why: `more than ${MOST_TURNS} turns` };
  const bytes = found.reduce((sum, turn) => sum + turn.bytes, 0);
  if (bytes > most_bytes) return { kind: "too_long", why: `more than the ${most_bytes} bytes of a request` };
  const turns: RecalledTurn[] = [];
  for (const each of found) {
    const turn = readTurn(each);
    if (turn === null) return { kind: "missing" };
    turns.push(turn);
  }
  return { kind: "found", turns };
}

/** Resolves references to items; reads each response once. */
export class References {
  readonly #memory: RecallSource;
  readonly #account_id: string;
  readonly #most_bytes: number;
  /** By the ids that references name. */
  readonly #found = new Map<string, ResolvedItem>();

  constructor(memory: RecallSource, account_id: string, most_bytes: number) {
    this.#memory = memory;
    this.#account_id = account_id;
    this.#most_bytes = most_bytes;
  }

  /**
   * Resolves the references among these items. Throws a GatewayError where there are too many, or their items are too
   * large.
   */
  async lookUp(items: Iterable<unknown>): Promise<void> {
    const ids = new Set<string>();
    for (const item of items) {
      const id = referenceOf(item);
      if (id !== null) ids.add(id);
      if (ids.size > MOST_REFERENCES)
        throw new GatewayError("invalid_responses_input", `'input' refers to more than ${MOST_REFERENCES} items.`, {
          param: "input",
        });
    }
    if (ids.size > 0) await this.#find(ids);
  }

  resolve(id: string): ResolvedItem | null {
    return this.#found.get(id) ?? null;
  }

  async #find(ids: ReadonlySet<string>): Promise<void> {
    const places = await this.#memory.placesOf(this.#account_id, [...ids]);
    await this.#open(new Set(places.values()), false, ids);
    const sent = new Set<string>();
    for (const id of ids) {
      const place = this.#found.has(id) ? null : placeOfInputItem(id);
      if (place !== null) sent.add(place.response_key);
    }
    await this.#open(sent, true, ids);
  }

  async #open(keys: ReadonlySet<string>, with_input: boolean, ids: ReadonlySet<string>): Promise<void> {
    let bytes = 0;
    for await (const found of this.#memory.opened(this.#account_id, [...keys], with_input, this.#most_bytes)) {
      bytes += found.bytes;
      if (bytes > this.#most_bytes) throw tooLong("input", `refers to answers of more than ${this.#most_bytes} bytes`);
      const turn = readTurn(found);
      if (turn === null) continue;
      const from = { vendor: turn.output.vendor, response_key: turn.response_key };
      for (const [id, item] of with_input ? sentById(turn) : itemsById(turn.output.items))
        if (ids.has(id)) this.#found.set(id, { item, id, from: with_input ? null : from });
    }
  }
}

/** The items of a turn by their ids, without references: lists show a reference under its target's id. */
function* sentById({ response_key, input }: RecalledTurn): Iterable<[id: string, item: unknown]> {
  for (const [index, item] of input.entries())
    if (referenceOf(item) === null) yield [inputItemId(item, { response_key, index }), item];
}

/** All items of the turns, in order; without the last turn's output where `with_last_output` is false. */
export function* itemsOf(
  turns: readonly RecalledTurn[],
  references: References,
  with_last_output: boolean,
): Iterable<ResolvedItem | MissingItem> {
  for (const [at, { response_key, input, output }] of turns.entries()) {
    for (const [index, item] of input.entries()) {
      const referred = referenceOf(item);
      if (referred !== null) yield references.resolve(referred) ?? { missing: referred };
      else yield { item, id: inputItemId(item, { response_key, index }), from: null };
    }
    if (at === turns.length - 1 && !with_last_output) return;
    const from = { vendor: output.vendor, response_key };
    for (const [index, item] of output.items.entries())
      yield { item, id: inputItemId(item, { response_key, index: input.length + index }), from };
  }
}

/** All items that the client sent in these turns, references included. */
export function* sentIn(turns: readonly RecalledTurn[]): Iterable<unknown> {
  for (const { input } of turns) yield* input;
}

export function tooLong(param: string, why: string): GatewayError {
  return new GatewayError("request_too_large", `'${param}' ${why}: begin anew with a shorter 'input'.`, { param });
}
