/** The interface of the database for answers that are given again (docs/rulings.md 183). */

/** An answer that is stored for its account. Its key is a keyed hash of what was asked, and its content is encrypted. */
export interface CachedRow {
  readonly account_id: string;
  readonly answer_key: string;
  readonly content: Uint8Array;
  /** How long ago the answer came. */
  readonly age_ms: number;
  /** How long it may be given again since then. */
  readonly keep_ms: number;
}

export interface StoredContent {
  readonly content: Uint8Array;
  readonly age_ms: number;
  /** For how long it may be given again from now on. */
  readonly left_ms: number;
}

/** What an account's requests have found in an hour. */
export interface CacheCount {
  readonly account_id: string;
  readonly hour_ms: number;
  readonly hits: number;
  readonly misses: number;
  /** What the hits would have cost beyond their own price. */
  readonly saved_micro: bigint;
}

export type CacheSums = Pick<CacheCount, "hits" | "misses" | "saved_micro">;

export interface EmptiedCache {
  readonly removed: number;
  readonly until_ms: number;
}

export interface CachedAnswerStore {
  /** The content that is stored under a key for at most `most_age_ms`; null where there is none. */
  findCached(account_id: string, answer_key: string, most_age_ms: number): Promise<StoredContent | null>;
  /** Stores answers; an answer replaces an older one with its key. */
  putCached(rows: readonly CachedRow[]): Promise<void>;
  /**
   * Removes up to `most` answers: those that have expired, and the oldest while all together have more than `most_bytes`. Resolves with how
   * many there were.
   */
  trimCached(most_bytes: number, most: number): Promise<number>;
  /** What the stored answers of an account take, or those of all for null. */
  cachedBytes(account_id: string | null): Promise<number>;
  /**
   * Removes up to `most` answers of an account, or of all for null, that came until a time: until now for null. Resolves with how many there were, which is
   * more where accounts lie in several databases and all are meant, and the time.
   */
  emptyCached(account_id: string | null, until_ms: number | null, most: number): Promise<EmptiedCache>;
  /** Adds to the counts of hours. */
  countCached(counts: readonly CacheCount[]): Promise<void>;
  /** The counts of an account, or of all for null, in the hours from `from_ms` up to `to_ms`. */
  cacheSums(account_id: string | null, from_ms: number, to_ms: number): Promise<CacheSums>;
}
