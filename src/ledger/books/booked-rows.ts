import type { StoredAnswer } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import type { UnitCounts } from "../../core/money/price-classes.ts";

/** Rows that the books add or close, and never change again: entries, what recoveries ended, and records of idempotency keys. */

/** An entry: the charge of a request, an automatic top-up, or the correction by a late end. */
export interface BookedEntry {
  readonly account_id: string;
  readonly seq: number;
  readonly amount_micro: Micro;
  readonly posted_after_micro: Micro;
  readonly created_ms: number;
  /** Null for all but a charge. */
  readonly request_id: string | null;
  /** Set for a correction: what it says, and the entry that it corrects, by its place in the account's ledger. */
  readonly correction?: { readonly note: string; readonly corrects_seq: number | null };
}

/** A request that a recovery ended (docs/rulings.md 43). */
export interface RecoveredRequest {
  readonly charge_micro: Micro;
  /** The usage that the recovery charged for; zeros where it charged nothing. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly units: UnitCounts;
  /** When the recovery ended it, and the UTC day on which it counted the request. */
  readonly ended_ms: number;
  readonly day: number;
  /** The entry of the charge, by its place in the account's ledger; null where there is none. */
  readonly charge_seq: number | null;
  /** Whether the request's own end has come since. */
  ended_late: boolean;
}

/** Which request a record of an idempotency key belongs to: a record that was replaced meanwhile belongs to another. */
export interface IdempotencyOwner {
  readonly account_id: string;
  readonly key: string;
  readonly request_id: string;
}

/** How a record is closed: with the answer to replay, or with the note that none was kept. */
export interface IdempotencyEnd extends IdempotencyOwner {
  readonly state: "kept" | "not_kept";
  readonly answer: StoredAnswer | null;
}

export interface IdempotencyState extends IdempotencyOwner {
  readonly fingerprint: string;
  readonly expires_ms: number;
  /** Whether this batch made the record: then it is inserted as it stands at the batch's end, if it is still there. */
  readonly fresh: boolean;
  /** Whether a recovery voided the record's request: nobody knows whether its end will come (docs/rulings.md 146). */
  abandoned: boolean;
  state: "running" | "kept" | "not_kept";
  answer: StoredAnswer | null;
}

export function idempotencyId(account_id: string, key: string): string {
  return `${account_id} ${key}`;
}
