import { splitTag, tagNameProblem, tagTexts, tagValueProblem } from "../../../../contract/tag-rules.ts";
import type { TagChanges, Tags } from "../../../../contract/tags.ts";

/** Tags as a form has them: a line `NAME=VALUE` for each. */

interface ReadTags {
  readonly tags: Tags;
  /** The fault of the first line that is no tag; null where all lines are tags. */
  readonly problem: string | null;
}

export function tagLines(tags: Tags): string {
  return tagTexts(tags).join("\n");
}

export function readTagLines(text: string): ReadTags {
  const tags = new Map<string, string>();
  const lines = text.split("\n").map((line) => line.trim());
  for (const line of lines.filter((each) => each !== "")) {
    const tag = splitTag(line);
    if (tag === null) return { tags: {}, problem: `“${line}” has no equals sign: write a tag as team=search.` };
    const [name, value] = [tag.name.trim(), tag.value.trim()];
    const problem = tagNameProblem(name) ?? tagValueProblem(value);
    if (problem !== null) return { tags: {}, problem: `“${line}”: ${problem}.` };
    if (tags.has(name)) return { tags: {}, problem: `The tag ${name} is there twice: a key has one value of a tag.` };
    tags.set(name, value);
  }
  return { tags: Object.fromEntries(tags), problem: null };
}

/** The change that leads from some tags to others. Tags that stay are left out, so that changes of others stay, too. */
export function tagChanges(before: Tags, after: Tags): TagChanges {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const set = Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || before[name] !== value);
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(set) };
}
