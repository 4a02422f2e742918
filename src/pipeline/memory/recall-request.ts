import type { ClientRequest, RecalledItem, RequestMemory } from "../../core/answer/exchange.ts";
import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { GatewayError, toGatewayError } from "../../core/errors.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Log } from "../../observe/log.ts";
import { referenceOf } from "../../protocols/responses/reference-of.ts";
import { sentItems, withItems } from "../../protocols/responses/references.ts";
import { conversationOf, itemsOf, References, type ResolvedItem, sentIn, tooLong } from "./recall.ts";
import { LargeRecall, type RecalledTurn, type RecallSource } from "./recall-source.ts";

const NOTHING: RequestMemory["recalled"] = new Map();
const NO_KEYS: readonly string[] = [];

/** Limits how many requests are recalled at once: each may take as much memory as a body. */
const semaphore = new Semaphore(8);

export interface RecallContext {
  readonly memory: RecallSource;
  readonly account_id: string;
  /** The largest body that may be sent to a vendor. */
  readonly most_bytes: number;
  readonly log: Pick<Log, "error">;
}

/** Whether a request may go on from what is stored: those in responses' shape that are answered in it. */
export function isRecalled({ protocol }: Pick<ClientRequest, "protocol">): boolean {
  return protocol === "responses" || protocol === "responses-compact";
}

/**
 * A responses request with everything that it refers to put into its input (docs/adr/0017); synchronous where it has no
 * references. Rejects with LargeRecall as its memory does. Throws 400 `previous_response_not_found` or `item_not_found` for responses or items that this account does not have.
 */
export function recallRequest(context: RecallContext, request: ClientRequest): ClientRequest | Promise<ClientRequest> {
  const { body } = request;
  const sent = sentItems(request);
  const previous = previousOf(body);
  const stores = body.store !== false;
  if (previous !== null || sent.items.some((item) => referenceOf(item) !== null))
    return semaphore.run(() => recalled(context, request, { sent, previous, stores }));
  const memory = { stores, previous_response_id: null, recalled: NOTHING, sent, used_keys: NO_KEYS };
  return { ...request, memory };
}

function previousOf(body: ClientRequest["body"]): string | null {
  const id = body.previous_response_id ?? null;
  if (typeof id !== "string") return null;
  if ((body.conversation ?? null) === null) return id;
  const message = "'previous_response_id' and 'conversation' were both given; a request goes on from one of them.";
  throw new GatewayError("invalid_responses_input", message, { param: "previous_response_id" });
}

interface MemoryUse {
  readonly sent: ReturnType<typeof sentItems>;
  readonly previous: string | null;
  readonly stores: boolean;
}

async function recalled(context: RecallContext, request: ClientRequest, asked: MemoryUse): Promise<ClientRequest> {
  try {
    const { memory, account_id, most_bytes } = context;
    const turns = asked.previous === null ? [] : await turnsOf(context, asked.previous);
    const references = new References(memory, account_id, most_bytes);
    await references.lookUp([...sentIn(turns), ...asked.sent.items]);
    const draft = new InputDraft(most_bytes);
    for (const found of itemsOf(turns, references, true)) {
      if ("missing" in found) throw previousNotFound(asked.previous ?? "");
      draft.add(found, JSON.stringify(found.item));
    }
    addSent(draft, asked.sent, references);
    const used_keys = new Set([...turns.map(({ response_key }) => response_key), ...draft.used_keys]);
    return withItems(request, draft.done(), {
      stores: asked.stores,
      previous_response_id: asked.previous,
      recalled: draft.recalled,
      sent: asked.sent,
      used_keys: [...used_keys],
    });
  } catch (thrown) {
    throw thrown instanceof GatewayError || thrown instanceof LargeRecall ? thrown : unreadable(context, thrown);
  }
}

function unreadable({ log }: RecallContext, cause: unknown): GatewayError {
  log.error({ err: cause }, "stored responses could not be read");
  if (cause instanceof StoreUnavailable) return toGatewayError(cause);
  return new GatewayError("db_error", "The stored responses that this request refers to cannot be read now.", {
    cause,
  });
}

async function turnsOf(
  { memory, account_id, most_bytes }: RecallContext,
  id: string,
): Promise<readonly RecalledTurn[]> {
  const found = await conversationOf(memory, account_id, id, most_bytes);
  if (found.kind === "missing") throw previousNotFound(id);
  if (found.kind === "too_long") throw tooLong("previous_response_id", `goes on from a conversation of ${found.why}`);
  return found.turns;
}

function addSent(draft: InputDraft, { items, texts }: MemoryUse["sent"], references: References): void {
  for (const [index, item] of items.entries()) {
    const id = referenceOf(item);
    if (id === null) {
      draft.add({ item, id: "", from: null }, texts[index] ?? JSON.stringify(item));
      continue;
    }
    const found = references.resolve(id);
    if (found === null) throw itemNotFound(id, `input[${index}]`);
    draft.add(found, JSON.stringify(found.item));
  }
}

/** The input while it is being assembled. */
class InputDraft {
  readonly #items: unknown[] = [];
  readonly #texts: string[] = [];
  readonly recalled = new Map<unknown, RecalledItem>();
  readonly used_keys = new Set<string>();
  #room: number;

  constructor(most_bytes: number) {
    this.#room = most_bytes;
  }

  add({ item, from }: ResolvedItem, text: string): void {
    this.#room -= text.length;
    if (this.#room < 0) throw tooLong("input", "is larger than a request may be, with all that it refers to");
    if (this.#items.length === REQUEST_BOUNDS.messages) throw tooManyItems();
    this.#items.push(item);
    this.#texts.push(text);
    if (from === null) return;
    this.recalled.set(item, from);
    this.used_keys.add(from.response_key);
  }

  done(): { items: readonly unknown[]; text: string } {
    return { items: this.#items, text: `[${this.#texts.join(",")}]` };
  }
}

function tooManyItems(): GatewayError {
  const message = `'input' has more than ${REQUEST_BOUNDS.messages} items, with all that it refers to; allowed: at most ${REQUEST_BOUNDS.messages}.`;
  return new GatewayError("invalid_responses_input", message, { param: "input" });
}

const ADVICE = "Send the whole conversation in 'input', with 'store: false' if you keep it yourself.";

function previousNotFound(id: string): GatewayError {
  const message = `'previous_response_id' is ${quoted(id)}, which this account does not have here: it was not stored, was deleted, or has not been used for too long. ${ADVICE}`;
  return new GatewayError("previous_response_not_found", message, { param: "previous_response_id" });
}

function itemNotFound(id: string, place: string): GatewayError {
  const message = `'${place}' refers to the item ${quoted(id)}, which this account does not have here: it was not stored, was deleted, or has not been used for too long. ${ADVICE}`;
  return new GatewayError("item_not_found", message, { param: place });
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
