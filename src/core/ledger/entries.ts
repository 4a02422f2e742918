import type { Micro } from "../money/money.ts";

export type EntryKind = "credit" | "charge" | "correction";

/** One immutable line of an account's ledger; balance + held = Σ amounts. */
export interface EntryRecord {
  readonly id: string;
  readonly account_id: string;
  readonly kind: EntryKind;
  /** Negative for charges. */
  readonly amount_micro: Micro;
  /** Σ of all entries up to this one. */
  readonly posted_after_micro: Micro;
  /** The request of a charge, or of the correction by a late end; else null. */
  readonly request_id: string | null;
  readonly note: string;
  /** The actor of the entry: `admin-token`, a console user, or `gateway`. */
  readonly actor: string;
  /** The id of the entry that this correction corrects; null where it names none. */
  readonly corrects: string | null;
  readonly created_ms: number;
}

export interface NewEntry {
  readonly account_id: string;
  readonly kind: "credit" | "correction";
  readonly amount_micro: Micro;
  readonly note: string;
  readonly actor: string;
  /** The id of the entry that a correction corrects. */
  readonly corrects?: string | null;
  /** The caller's id for this booking, unique among all accounts. */
  readonly booking_id?: string | null;
  /** Who gets a receipt of a credit, which is put down with it; absent: nobody. */
  readonly receipt?: CreditReceipt;
}

/** A mail to owners whose account's credit has grown (docs/rulings.md 225). */
export interface CreditReceipt {
  readonly account_name: string;
  readonly currency: string;
  /** The users who get it. */
  readonly owners: readonly string[];
}

export interface EntryQuery {
  readonly kind?: EntryKind;
  readonly before_ms?: number;
  /** Only entries that follow this one in the list: exact where several were made in one millisecond. */
  readonly before_id?: string;
}
