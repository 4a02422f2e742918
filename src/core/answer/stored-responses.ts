import type { CachedAnswerStore } from "./cached-answers.ts";
import type { ContentStore } from "./contents.ts";

/** The interface of the database for stored responses (core/store/ports.ts has the others). */

/**
 * A response that is stored for its account. Its keys are keyed hashes of ids. Its parts are encrypted one by one, as a
 * request that refers to an item needs the output alone (docs/adr/0017).
 */
export interface StoredResponse {
  readonly response_key: string;
  /** The response that this one continues; null for the first of a conversation. */
  readonly parent_key: string | null;
  readonly parts: Readonly<Partial<Record<ResponsePart, Uint8Array>>>;
}

/** The request's items, the answer's items, and the rest of the answer. */
export type ResponsePart = "input" | "output" | "rest";

export interface NewStoredResponse extends StoredResponse {
  readonly account_id: string;
  readonly parts: Readonly<Record<ResponsePart, Uint8Array>>;
  /** How long the response is kept from now on. */
  readonly keep_ms: number;
  readonly item_keys: readonly string[];
  /** Responses that this one was built from: they are kept as long as it is. */
  readonly used_keys: readonly string[];
}

export interface StoredItem {
  readonly item_key: string;
  readonly response_key: string;
}

/** Responses that clients may refer to, and answers that are given again. Only the own account can read them, and nobody can once they have expired. */
export interface ResponseStore extends CachedAnswerStore, ContentStore {
  /**
   * Stores responses; a response replaces an older one with its key. Afterwards none of their accounts has more than
   * `account_bytes`: the responses whose last use is the longest ago are removed first.
   */
  put(responses: readonly NewStoredResponse[], account_bytes: number): Promise<void>;
  /** The stored responses with these keys, in no order, with the requested parts. */
  find(account_id: string, response_keys: readonly string[], parts: readonly ResponsePart[]): Promise<StoredResponse[]>;
  /**
   * A response and its predecessors with their items, the newest first. Ends before a response that is missing, and
   * before one that would make the chain longer than `most` or its contents larger than `most_bytes`.
   */
  chain(account_id: string, response_key: string, most: number, most_bytes: number): Promise<StoredResponse[]>;
  /** The stored items with these keys, in no order. */
  findItems(account_id: string, item_keys: readonly string[]): Promise<StoredItem[]>;
  /** False when there was no such response. */
  remove(account_id: string, response_key: string): Promise<boolean>;
  /** Removes up to `most` expired responses. Resolves with how many there were. */
  removeExpired(most: number): Promise<number>;
}
