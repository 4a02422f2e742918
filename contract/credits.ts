import Type, { type Static } from "typebox";
import { Account } from "./accounts.ts";
import {
  closed,
  fileField,
  Micro,
  Note,
  oneOf,
  orNull,
  pageFields,
  pageOf,
  SignedAmount,
  Timestamp,
} from "./common.ts";

/** One line of an account's ledger. */
export const Entry = Type.Object({
  id: Type.String(),
  account: Type.String(),
  kind: Type.Enum(["credit", "charge", "correction"]),
  /** Negative for charges. */
  amount_micro: Micro,
  /** The sum of all entries up to this one. */
  posted_after_micro: Micro,
  /** The request of a charge, or of a correction that books its late end; else null. */
  request: orNull(Type.String()),
  note: Type.String(),
  actor: Type.String(),
  /** The entry that a correction corrects; null where it names none. */
  corrects: orNull(Type.String()),
  created_at: Timestamp,
});
export type Entry = Static<typeof Entry>;

export const EntryKind = oneOf(["credit", "charge", "correction"]);
export type EntryKind = Static<typeof EntryKind>;

export const EntriesQuery = closed({ kind: Type.Optional(EntryKind), ...pageFields, ...fileField });
export type EntriesQuery = Static<typeof EntriesQuery>;

export const EntryList = pageOf(Entry);
export type EntryList = Static<typeof EntryList>;

export const AddCredit = closed({
  amount: SignedAmount,
  /** A `correction` may be negative; a `credit` (the default) may not. */
  kind: Type.Optional(oneOf(["credit", "correction"])),
  note: Type.Optional(Note),
  /** For a correction: the id of the entry of this account that it corrects. */
  corrects: Type.Optional(
    Type.String({ pattern: "^ent_[A-Za-z0-9]{1,64}_[1-9]\\d{0,15}$", description: "the id of an entry, ent_…" }),
  ),
});
export type AddCredit = Static<typeof AddCredit>;

export const CreditAdded = Type.Object({ entry: Entry, account: Account });
export type CreditAdded = Static<typeof CreditAdded>;
