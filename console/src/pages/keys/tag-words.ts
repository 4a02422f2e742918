import { LONGEST_TAG_VALUE, OTHER_TAGS, splitTag, tagNameProblem } from "../../../../contract/tag-rules.ts";

/** Tags in filters of lists and reports: `team=search`, or `team=` for rows without the tag. */

interface AskedTag {
  readonly name: string;
  /** Empty: rows without the tag. */
  readonly value: string;
}

/** The tag of a filter of keys or requests; null where the text is no tag, or not finished. */
export function tagAsked(text: string | undefined): AskedTag | null {
  const tag = usageTagAsked(text);
  return tag === null || tagNameProblem(tag.name) !== null ? null : tag;
}

/** The tag of a filter of usage, which counts some names and values together as `(other)`. */
export function usageTagAsked(text: string | undefined): AskedTag | null {
  const tag = splitTag(text ?? "");
  const is_name = tag !== null && (tag.name === OTHER_TAGS || tagNameProblem(tag.name) === null);
  return is_name && tag.value.length <= 2 * LONGEST_TAG_VALUE ? tag : null;
}

/** The notes on a filter by a tag, by the kind of list. */
const SHOWN = {
  Keys: { without: (name: string) => `Keys without the tag ${name}.`, with: null },
  Requests: {
    without: (name: string) => `Requests that do not carry the tag ${name} themselves.`,
    with: (tag: string) => `Requests that carry ${tag} themselves: tags of their keys do not count here.`,
  },
  Usage: { without: (name: string) => `Usage without the tag ${name}.`, with: null },
} as const;

/** The note on a filter by a tag for the user who sets it; null where the filter needs none. */
export function tagNote(text: string | undefined, asked: AskedTag | null, of: keyof typeof SHOWN): string | null {
  if (text === undefined || text === "") return null;
  if (asked === null) return "Write a tag as name=value, such as team=search, or as team= for what is without the tag.";
  if (asked.value !== "") return SHOWN[of].with?.(text) ?? null;
  return `${SHOWN[of].without(asked.name)} For those that have it, write its value behind the equals sign.`;
}
