import type { KeyTag } from "./keys.ts";

/** A setting of a key or an account. `limits`: any of those that follow it. */
export type OwnSetting = "aliases" | "limits" | "rpm" | "tpm" | "concurrent" | "budget" | "models" | "expires_at";

/** A part of a long list, newest first. */
export interface ListQuery {
  /** Only records with a setting of their own; limits of revoked keys, which are no longer in force, do not count. Accounts have no aliases and never expire. */
  readonly own?: OwnSetting;
  /** Whether keys are found by the e-mail of their account too. */
  readonly by_email?: true;
  /** Only records of a project; "" finds records without a project. */
  readonly project_id?: string;
  /** Only keys with a tag of this value; "" finds keys without the tag. */
  readonly tag?: KeyTag;
  /** Words that must all occur, whatever their case. */
  readonly search?: string;
  /** Of keys also `unused`: those that work and that nobody has used for 90 days. */
  readonly status?: string;
  /** Only rows that are older than this one. Nothing is older than a row that is not there. */
  readonly before_id?: string;
  /** When that one was created, where these books need not have it. */
  readonly before_ms?: number;
  readonly limit: number;
}
