import { splitTag, tagNameProblem, tagValueProblem } from "../../contract/tag-rules.ts";
import { type ErrorCode, GatewayError } from "../core/errors.ts";
import { MOST_TAGS, OTHER_TAGS } from "../core/people/keys.ts";
import { TAG_PREFIX, type TagMetadata } from "../pipeline/request/tag-metadata.ts";

/** The tags that a request carries, in a header or in its body's metadata (docs/api.md 2.12). */

export const TAGS_HEADER = "x-camino-tags";
/** The most characters of a wrong value that an error shows. */
const SHOWN = 60;

/**
 * Reads `team=search,feature=summary`: a value has its commas, percent signs and characters beyond ASCII percent-encoded. Throws a 400
 * with `code` that names the value and the allowed values.
 */
export function readTagsHeader(text: string, code: ErrorCode): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  const refuse = (what: string): GatewayError => new GatewayError(code, `The header ${TAGS_HEADER} ${what}.`);
  for (const each of text.split(",")) {
    const written = each.trim();
    const tag = splitTag(written);
    if (tag === null) throw refuse(`has ${quoted(written)}; allowed: NAME=VALUE, with commas between tags`);
    const value = decoded(tag.value);
    if (value === null)
      throw refuse(
        `has ${quoted(written)}; allowed: ASCII, and percent-encoded UTF-8 for commas, percent signs and all else`,
      );
    const problem = problemOf(tag.name, value);
    if (problem !== null) throw refuse(`has ${quoted(written)}, but ${problem}`);
    if (tags.has(tag.name)) throw refuse(`has the tag '${tag.name}' twice; allowed: each name once`);
    tags.set(tag.name, value);
  }
  return tags;
}

/**
 * The tags of a request as the ledger keeps them: those of its header, then those of its metadata that the header does not name. Null for
 * a request without tags. Throws a 400 as `readTagsHeader`, also for more tags than a request may carry.
 */
export function requestTagsText(
  of_header: ReadonlyMap<string, string> | null,
  metadata: TagMetadata | null,
  code: ErrorCode,
): string | null {
  if (of_header === null && metadata === null) return null;
  const tags = new Map(of_header ?? []);
  for (const [member, value] of Object.entries(metadata ?? {})) {
    const name = member.slice(TAG_PREFIX.length);
    const found = `'metadata' has ${quoted(member)}: ${quoted(value)}`;
    if (typeof value !== "string") throw inMetadata(code, `${found}; allowed: a text`);
    const problem = problemOf(name, value);
    if (problem !== null) throw inMetadata(code, `${found}, but behind '${TAG_PREFIX}' ${problem}`);
    if (!tags.has(name)) tags.set(name, value);
  }
  if (tags.size > MOST_TAGS)
    throw new GatewayError(
      code,
      `The request carries ${tags.size} tags, with '${[...tags.keys()].at(-1)}'; allowed: at most ${MOST_TAGS}.`,
    );
  return JSON.stringify(Object.fromEntries(tags));
}

function problemOf(name: string, value: string): string | null {
  if (value === OTHER_TAGS) return `${OTHER_TAGS} stands for values that are not counted apart`;
  return tagNameProblem(name) ?? tagValueProblem(value);
}

/** Null where the text has not the required form. */
function decoded(text: string): string | null {
  if (!/^[\x20-\x7e]*$/.test(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function quoted(found: unknown): string {
  const text = JSON.stringify(found) ?? String(found);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function inMetadata(code: ErrorCode, message: string): GatewayError {
  return new GatewayError(code, `${message}.`, { param: "metadata" });
}
