import Type, { type Static } from "typebox";
import type { MOST_TAGS as MOST_TAGS_OF_STORE } from "../src/core/people/keys.ts";
import { listOf } from "./common.ts";
import { LONGEST_TAG_VALUE, OTHER_TAGS, TAG_NAME_PATTERN, TAG_NAME_WORDS, TAG_VALUE_WORDS } from "./tag-rules.ts";

/** Tags of keys: names with values, by which keys are found and usage is grouped (docs/design/tags-and-projects.md). */

const Value = Type.String({ description: TAG_VALUE_WORDS });

const MOST_TAGS = 16 satisfies typeof MOST_TAGS_OF_STORE;

/** The tags of a new key. The rules of tag-rules.ts judge names and values, so that an error names the tag. */
export const NewTags = Type.Record(Type.String(), Value, {
  description: `an object of at most ${MOST_TAGS} tags: names (${TAG_NAME_WORDS}) with values (${TAG_VALUE_WORDS})`,
});

/** A change of a key's tags: a value sets a tag, null takes it away, and a tag that is left out stays. */
export const TagChanges = Type.Record(
  Type.String(),
  Type.Union([Value, Type.Null()], { description: `${TAG_VALUE_WORDS}, or null` }),
  { description: "an object with the values of tags by their names; null takes a tag away" },
);
export type TagChanges = Static<typeof TagChanges>;

/** The tags of a key, by name. */
export const Tags = Type.Record(Type.String(), Type.String());
export type Tags = Static<typeof Tags>;

export const TagName = Type.String({
  pattern: `^${TAG_NAME_PATTERN}$`,
  description: `the name of a tag: ${TAG_NAME_WORDS}`,
});

/** The name of a tag for reports of usage: also `(other)`, which stands for names that are not counted by themselves (docs/design/tags-and-projects.md). */
export const UsageTagName = Type.String({
  pattern: `^(${TAG_NAME_PATTERN}|\\(other\\))$`,
  description: `the name of a tag: ${TAG_NAME_WORDS}, or ${OTHER_TAGS}`,
});

/** With `tag`: only usage of this value; the empty text is for usage without the tag. */
export const UsageTagValue = Type.String({
  maxLength: 2 * LONGEST_TAG_VALUE,
  description: "a value of the tag, or nothing for what does not have it",
});

/** A filter of keys or requests: `NAME=VALUE`. */
export const TagFilter = Type.String({
  pattern: `^${TAG_NAME_PATTERN}=`,
  maxLength: 41 + 2 * LONGEST_TAG_VALUE,
  description: 'a tag as NAME=VALUE, such as "team=search", or NAME= for what is without the tag',
});

/** `GET /tags`: the names of the tags that keys have or had when they were deleted, and those that requests have carried, in order; at most 500. */
export const TagNames = listOf(
  Type.Object({
    name: Type.String(),
    /** How many keys have it; 0: only deleted ones had, or only requests carried it. */
    key_count: Type.Integer(),
  }),
);
export type TagNames = Static<typeof TagNames>;
