/** The door to what is kept of responses (core/ports.ts has the others). */

/**
 * A response that is kept for its account. Its keys are keyed hashes of ids, its parts are sealed: each by itself, as whoever
 * refers to an item needs the output alone (docs/adr/0017).
 */
export interface StoredResponse {
  readonly response_key: string;
  /** The response that it follows on; null for one that begins a conversation. */
  readonly parent_key: string | null;
  readonly parts: Readonly<Partial<Record<ResponsePart, Uint8Array>>>;
}

/** The items that were sent, those of the answer, and all else of the answer. */
export type ResponsePart = "input" | "output" | "rest";

export interface NewStoredResponse extends StoredResponse {
  readonly account_id: string;
  readonly parts: Readonly<Record<ResponsePart, Uint8Array>>;
  /** How long it is kept from now on. */
  readonly keep_ms: number;
  /** Of the items of its answer. */
  readonly item_keys: readonly string[];
  /** Responses that it was built on: they are kept as long as it is. */
  readonly used_keys: readonly string[];
}

/** Where an item is. */
export interface StoredItem {
  readonly item_key: string;
  readonly response_key: string;
}

/** Responses that clients may refer to. Nothing here is seen by another account than its own, or once its time is over. */
export interface ResponseStore {
  /**
   * Keeps responses; one with a known key takes the other's place. Afterwards none of their accounts has more than
   * `account_bytes`: what was used the longest ago goes first.
   */
  put(responses: readonly NewStoredResponse[], account_bytes: number): Promise<void>;
  /** Those of the keys that are there, in no order, with these of their parts. */
  find(account_id: string, response_keys: readonly string[], parts: readonly ResponsePart[]): Promise<StoredResponse[]>;
  /**
   * A response and those before it, the newest first, with their items. Ends early where one is not there, and before the
   * one that would make it longer than `most` or its contents larger than `most_bytes`.
   */
  chain(account_id: string, response_key: string, most: number, most_bytes: number): Promise<StoredResponse[]>;
  /** Those of the items that are there, in no order. */
  findItems(account_id: string, item_keys: readonly string[]): Promise<StoredItem[]>;
  /** False when there was none. */
  remove(account_id: string, response_key: string): Promise<boolean>;
  /** Removes at most so many whose time is over. Resolves with how many there were. */
  removeExpired(most: number): Promise<number>;
}
