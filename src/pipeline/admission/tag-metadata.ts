import { isObject } from "../../core/json.ts";

/** What the names of a body's metadata begin with that bring tags (docs/adr/0054): other metadata is the client's and its vendor's own. */
export const TAG_PREFIX = "camino.";

/** The members of a body's metadata that bring tags, as they were sent. */
export type TagMetadata = Readonly<Record<string, unknown>>;

/** Null for the bodies that bring none, which are nearly all. */
export function tagMetadata({ metadata }: Readonly<Record<string, unknown>>): TagMetadata | null {
  if (metadata === undefined || !isObject(metadata)) return null;
  const members = Object.entries(metadata).filter(([name]) => name.startsWith(TAG_PREFIX));
  return members.length === 0 ? null : Object.fromEntries(members);
}
