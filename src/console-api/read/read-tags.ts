import { TAG_NAME_WORDS, tagNameProblem, tagValueProblem } from "../../../contract/tag-rules.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { MOST_TAGS } from "../../core/people/keys.ts";

/** How much of a name or value an error shows. */
const SHOWN = 60;

/** Throws a 400 that names the tag and what is allowed, unless all names and values of a body's tags are allowed (docs/billing.md). */
export function requireTags(tags: Readonly<Record<string, string | null>> | null | undefined): void {
  const given = Object.entries(tags ?? {});
  for (const [name, value] of given) {
    const of_name = tagNameProblem(name);
    if (of_name !== null) throw refused("tags", `'tags' has ${quoted(name)}, but ${of_name}.`);
    const of_value = value === null ? null : tagValueProblem(value);
    if (of_value !== null) throw refused(`tags.${name}`, `'tags.${name}' is ${quoted(value ?? "")}, but ${of_value}.`);
  }
  const { length } = given.filter(([, value]) => value !== null);
  if (length <= MOST_TAGS) return;
  const first_beyond = given.filter(([, value]) => value !== null)[MOST_TAGS]?.[0];
  throw refused(
    "tags",
    `'tags' has ${length} tags, with '${first_beyond}'; allowed: at most ${MOST_TAGS} tags of a key.`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

function refused(param: string, message: string): GatewayError {
  return invalidRequest(message, param);
}

/** The tag of a report: the report groups by its values, or takes only the rows of one value. */
interface TagAsked {
  readonly tag?: string;
  readonly tag_value?: string;
}

/** Throws a 400 where `by`, `tag` and `value` do not belong together. */
export function tagAsked(by: string, { tag, value }: { readonly tag?: string; readonly value?: string }): TagAsked {
  const is_by_tag = by === "tag" || by === "day,tag";
  if (tag === undefined && is_by_tag)
    throw refused(
      "tag",
      `'tag' is missing; allowed: with 'by=${by}', ${TAG_NAME_WORDS} that name the tag, such as tag=team.`,
    );
  if (tag === undefined && value !== undefined)
    throw refused(
      "value",
      `'value' is ${quoted(value)} without 'tag'; allowed: with the name of its tag, such as tag=team.`,
    );
  if (tag !== undefined && value === undefined && !is_by_tag)
    throw refused(
      "tag",
      `'tag' is ${quoted(tag)} with 'by=${by}'; allowed: with 'by=tag' or 'by=day,tag', or with a 'value' of the tag.`,
    );
  return { ...(tag !== undefined && { tag }), ...(value !== undefined && { tag_value: value }) };
}
