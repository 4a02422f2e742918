import type { KeptOutput } from "./encrypted-parts.ts";

/** A turn of a conversation: the items as the client sent them, and the answer's items. */
export interface RecalledTurn {
  readonly response_key: string;
  readonly input: readonly unknown[];
  readonly output: KeptOutput;
  /** The size of its JSON. */
  readonly bytes: number;
}

/** What a request's references are resolved from: the memory itself, or its stand-in in another thread. */
export interface RecallSource {
  /** As `ResponseMemory.turns`. */
  turns(account_id: string, id: string, most_bytes: number): Promise<readonly RecalledTurn[] | null>;
  /** The responses that contain these items, as keys; items that are not stored are absent. */
  placesOf(account_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** As `ResponseMemory.opened`. The caller takes no more than `most_bytes` of it. */
  opened(
    account_id: string,
    keys: readonly string[],
    with_input: boolean,
    most_bytes: number,
  ): AsyncIterable<RecalledTurn>;
}
