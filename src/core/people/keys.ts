/** A key's name, whether the key still exists or was deleted. */
export interface KeyLabel {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly deleted: boolean;
}

/** A new secret for a key. */
export interface KeyRoll {
  readonly hash: string;
  readonly hint: string;
  /** How long the old secret stays valid. */
  readonly overlap_ms: number;
}

export interface KeyTag {
  readonly name: string;
  readonly value: string;
}

/** The values of a key's tags, by their names. */
export type KeyTags = Readonly<Record<string, string>>;

/** A change of a key's tags: null removes a tag, and tags that are left out stay. Null as a whole removes all tags. */
export type KeyTagsPatch = Readonly<Record<string, string | null>> | null;

/** A name of tags, and how many keys that are not deleted have such a tag. */
export interface TagNameCount {
  readonly name: string;
  readonly key_count: number;
}

/** The value that is counted in place of a value or a name for which a day has no more room (docs/design/tags-and-projects.md). Requests may not carry it. */
export const OTHER_TAGS = "(other)";

/** The most tags that a key has, and that a request carries. */
export const MOST_TAGS = 16;
