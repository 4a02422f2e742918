import { hash } from "node:crypto";
import { isObject } from "../../core/json.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import { isTagValue } from "../../core/people/tag-values.ts";

/** How much of an id is shown that is no value of a tag. */
const SHOWN_CHARACTERS = 40;

/** The id of the end user that a body names: `safety_identifier`, else `user`, else `metadata.user_id`. Null where it names nobody. */
export function endUserIdOf({ safety_identifier, user, metadata }: Readonly<Record<string, unknown>>): string | null {
  const of_metadata = isObject(metadata) ? metadata.user_id : null;
  const id = [safety_identifier, user, of_metadata].find((each) => typeof each === "string" && each !== "");
  return typeof id === "string" ? id : null;
}

/**
 * The end user that a body names, as a tag's value. An id that is no value of a tag, as it is longer, is its beginning and a part of its
 * hash, so that it counts apart (docs/rulings.md 176). Null where the body names nobody.
 */
export function endUserOf(body: Readonly<Record<string, unknown>>): string | null {
  const id = endUserIdOf(body);
  if (id === null) return null;
  if (id !== OTHER_TAGS && isTagValue(id)) return id;
  const begins = id
    .slice(0, SHOWN_CHARACTERS)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ");
  return `${begins}…${hash("sha256", id, "hex").slice(0, 32)}`;
}
