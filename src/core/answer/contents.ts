/** The interface of the database for what was said: the contents of requests and answers, where somebody switched that on (docs/rulings.md 184). */

/** By what the content of a request is listed and found. */
export interface ContentFacts {
  readonly request_id: string;
  readonly at_ms: number;
  readonly key_id: string;
  readonly model: string;
  readonly endpoint: string;
  /** The HTTP status that the client got; 200 for a stream that broke off, too. */
  readonly status: number;
  /** JSON of its tags by name; null: none. */
  readonly tags: string | null;
}

/** A content that is to be kept. */
export interface NewContent extends ContentFacts {
  /** The keyed hash of the end user's id; null: the request named none. */
  readonly user_key: string | null;
  /** What of its segment's bytes is its share. */
  readonly bytes: number;
}

/**
 * Contents of an account that were written together, compressed and encrypted as one: alone each would take two and a half times the room, and several times the work
 * (docs/rulings.md 184).
 */
export interface ContentSegment {
  readonly account_id: string;
  /** The id of one of its requests. */
  readonly segment_id: string;
  readonly content: Uint8Array;
  readonly entries: readonly NewContent[];
}

/** What is listed of a content without opening it. */
export interface ContentEntry extends ContentFacts {
  readonly account_id: string;
  readonly segment_id: string;
  /** With what its rows take. */
  readonly bytes: number;
}

export interface KeptSegment {
  readonly segment_id: string;
  /** Another one each time that something was cut out of it. */
  readonly version: number;
  readonly content: Uint8Array;
}

/** What is left of a segment. */
export interface ContentCut {
  readonly segment_id: string;
  /** That was read. */
  readonly version: number;
  /** Null: nothing, and all of its entries go. */
  readonly content: Uint8Array | null;
  readonly left_ids: readonly string[];
  readonly gone: readonly Pick<ContentEntry, "request_id" | "bytes">[];
}

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
  /** Keeps segments with their contents; one that is kept already stays. Rejects where another segment has a content of theirs. */
  putContents(segments: readonly ContentSegment[]): Promise<void>;
  /** Newest first. */
  listContents(query: ContentQuery): Promise<ContentEntry[]>;
  /** The content of one request, or some of one end user's: at most `limit`. */
  findContents(
    account_id: string,
    which: { readonly request_id: string } | { readonly user_key: string },
    limit: number,
  ): Promise<ContentEntry[]>;
  /** These segments of an account, in no order. */
  readSegments(account_id: string, segment_ids: readonly string[]): Promise<KeptSegment[]>;
  /** Puts what is left of a segment in its place. False, and nothing took place, where it is not as it was read any more. */
  cutSegment(account_id: string, cut: ContentCut): Promise<boolean>;
  /** Deletes up to `limit` segments with their contents: those with one from before a time, and the oldest while all together have more than `most_bytes`. */
  trimContents(kept_since_ms: number, most_bytes: number, limit: number): Promise<number>;
}

export interface ContentSwitchStore {
  contentSwitches(account_id: string): Promise<ContentSwitch[]>;
  /** Sets a switch, or takes it away (null). The keys that it is about have another version from then on. */
  setContentSwitch(
    account_id: string,
    of: Pick<ContentSwitch, "scope" | "id">,
    value: Pick<ContentSwitch, "keeps" | "words"> | null,
  ): Promise<void>;
}
