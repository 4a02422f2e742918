import type { KeyTag } from "./keys.ts";

/** A part of a long list, newest first. */
export interface ListQuery {
  /** Only what belongs to a project; "" finds what belongs to none. */
  readonly project_id?: string;
  /** Only keys with a tag of this value; "" finds keys without the tag. */
  readonly tag?: KeyTag;
  /** Words that must all occur, whatever their case. */
  readonly search?: string;
  readonly status?: string;
  /** Only rows that are older than this one. Nothing is older than a row that is not there. */
  readonly before_id?: string;
  readonly limit: number;
}
