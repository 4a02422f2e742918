/** The interface of the database for what was said: the contents of requests and answers, where somebody switched that on (docs/rulings.md 184). */

/** The content of one request, encrypted, with what it is listed and found by. */
export interface ContentRow {
  readonly account_id: string;
  readonly request_id: string;
  /** When it ended. */
  readonly at_ms: number;
  readonly key_id: string;
  readonly model: string;
  readonly endpoint: string;
  /** The HTTP status that the client got; 200 for a stream that broke off, too. */
  readonly status: number;
  /** JSON of its tags by name; null: none. */
  readonly tags: string | null;
  /** The keyed hash of the end user's id; null: the request named none. */
  readonly user_key: string | null;
  readonly content: Uint8Array;
}

/** What is listed of a content without opening it. */
export type ContentEntry = Omit<ContentRow, "content" | "user_key"> & { readonly bytes: number };

export interface ContentQuery {
  readonly account_id: string;
  readonly request_id?: string;
  readonly key_id?: string;
  readonly model?: string;
  readonly status?: number;
  readonly user_key?: string;
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** Only contents that follow this one in the list, newest first. */
  readonly before_id?: string;
  readonly limit: number;
}

/** Of what a switch is. */
export type ContentScope = "account" | "project" | "key";

/** Whether contents are kept, said for an account, a project or a key: the nearest to the request counts. */
export interface ContentSwitch {
  readonly scope: ContentScope;
  readonly id: string;
  readonly keeps: boolean;
  /** On an account: whether its contents may be searched for words. */
  readonly words: boolean;
}

export interface ContentStore {
  /** Keeps contents; one that is kept already stays. */
  putContents(rows: readonly ContentRow[]): Promise<void>;
  /** Newest first. */
  listContents(query: ContentQuery): Promise<ContentEntry[]>;
  /** The contents of these requests of an account, in no order. */
  readContents(
    account_id: string,
    request_ids: readonly string[],
  ): Promise<{ readonly request_id: string; readonly content: Uint8Array }[]>;
  /** Deletes contents of an account: of one request, or of one end user, at most `limit`. Resolves with how many. */
  deleteContents(
    account_id: string,
    which: { readonly request_id: string } | { readonly user_key: string },
    limit: number,
  ): Promise<number>;
  /** Deletes up to `limit` contents: those from before a time, and the oldest while all together have more than `most_bytes`. */
  trimContents(kept_since_ms: number, most_bytes: number, limit: number): Promise<number>;
}

export interface ContentSwitchStore {
  /** The switches of an account, its projects and its keys. */
  contentSwitches(account_id: string): Promise<ContentSwitch[]>;
  /** Sets a switch, or takes it away (null). The keys that it is about have another version from then on. */
  setContentSwitch(
    account_id: string,
    of: Pick<ContentSwitch, "scope" | "id">,
    value: Pick<ContentSwitch, "keeps" | "words"> | null,
  ): Promise<void>;
}
