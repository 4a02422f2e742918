import type { OTHER_TAGS as OTHER_TAGS_OF_STORE } from "../src/core/people/keys.ts";
import { isTagName, isTagValue, LONGEST_TAG_VALUE as LONGEST } from "../src/core/people/tag-values.ts";

/** The allowed names and values of tags, and how they are written, for all code that reads them (docs/design/tags-and-projects.md). */

/** Stands in usage for names and values that are not counted apart (docs/design/tags-and-projects.md). No request carries it. */
export const OTHER_TAGS = "(other)" satisfies typeof OTHER_TAGS_OF_STORE;

/** The most characters of a tag's value. */
export const LONGEST_TAG_VALUE = LONGEST;

/** The pattern of a name. */
export const TAG_NAME_PATTERN = "[a-z][a-z0-9_.-]{0,39}";
export const TAG_NAME_WORDS = "1 to 40 characters of a-z 0-9 _ . - of which the first is a letter";
export const TAG_VALUE_WORDS = `a text of 1 to ${LONGEST_TAG_VALUE} characters without control characters`;

/** The fault of a tag's name, in words that say what is allowed; null for a good name. */
export function tagNameProblem(name: string): string | null {
  return isTagName(name) ? null : `the name of a tag has ${TAG_NAME_WORDS}`;
}

/** The fault of a tag's value, in words that say what is allowed; null for a good value. */
export function tagValueProblem(value: string): string | null {
  return isTagValue(value) ? null : `the value of a tag is ${TAG_VALUE_WORDS}`;
}

/** `NAME=VALUE` in its parts: a value may have further equals signs. Null where there is none. */
export function splitTag(text: string): { readonly name: string; readonly value: string } | null {
  const at = text.indexOf("=");
  return at === -1 ? null : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** The value of a tag, "" where there is none: also for names such as `constructor`, which every object answers to. */
export function tagValue(tags: Readonly<Record<string, string>> | undefined, name: string): string {
  return tags !== undefined && Object.hasOwn(tags, name) ? (tags[name] ?? "") : "";
}

/** Tags in the order of their names, as people read them: `env=prod`. */
export function tagTexts(tags: Readonly<Record<string, string>>): string[] {
  return Object.entries(tags)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
}
