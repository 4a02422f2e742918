import { isObject } from "../../core/json.ts";

/** The prefix of metadata names that are tags (docs/design/tags-and-projects.md); other metadata is for the vendor. */
export const TAG_PREFIX = "camino.";

/** The members of a body's metadata that bring tags, with the values that were sent. */
export type TagMetadata = Readonly<Record<string, unknown>>;

/** The members of a body's metadata that bring tags; null where there are none, as in nearly all bodies. */
export function tagMetadata({ metadata }: Readonly<Record<string, unknown>>): TagMetadata | null {
  if (metadata === undefined || !isObject(metadata)) return null;
  const members = Object.entries(metadata).filter(([name]) => name.startsWith(TAG_PREFIX));
  return members.length === 0 ? null : Object.fromEntries(members);
}
