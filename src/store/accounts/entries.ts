import { creditReceipts } from "../../alerts/credit-receipts.ts";
import type { EntryKind, EntryQuery, EntryRecord, NewEntry } from "../../core/ledger/entries.ts";
import { add, MAX_MICRO, ZERO } from "../../core/money/money.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { requestOfLateNote } from "../../ledger/books/late-end.ts";
import { now_ms } from "../sql/clock.ts";
import {
  amount,
  columnsOf,
  int,
  intOrNull,
  type ReadRow,
  readFirst,
  readRows,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { addDelivery } from "./add-delivery.ts";
import { noAccount } from "./locks.ts";

/** The actor of entries that the gateway makes by itself; no user has this id. Charges of requests have no actor. */
const GATEWAY_ACTOR = "gateway";

const ENTRY = {
  account_id: text,
  seq: int,
  kind: word<EntryKind>(),
  amount_micro: amount,
  posted_after_micro: amount,
  request_id: textOrNull,
  note: text,
  actor: text,
  created_ms: int,
  corrects_seq: intOrNull,
} as const;
const COLUMNS = columnsOf(ENTRY);
type EntryRow = ReadRow<typeof ENTRY>;

/** An entry is named by its place in its account's ledger, which never changes. */
function entryRecord({ seq, corrects_seq, ...found }: EntryRow): EntryRecord {
  const { account_id, actor } = found;
  return {
    ...found,
    id: entryId(account_id, seq),
    request_id: found.request_id ?? lateRequest(found),
    actor: actor === "" ? GATEWAY_ACTOR : actor,
    corrects: corrects_seq === null ? null : entryId(account_id, corrects_seq),
  };
}

/** The request that a correction of the gateway's own is for. A row names a request only where it is the request's charge. */
function lateRequest({ kind, actor, note }: Pick<EntryRow, "kind" | "actor" | "note">): string | null {
  return kind === "correction" && actor === GATEWAY_ACTOR ? requestOfLateNote(note) : null;
}

/** An entry's id, made of its account's and its place in the account's ledger. */
export function entryId(account_id: string, seq: number): string {
  return `ent_${account_id.replace(/^acct_/, "")}_${seq}`;
}

/** The place of an entry by its id; null when it is none of this account's. */
function entrySeq(account_id: string, id: string): number | null {
  const seq = Number(id.slice(id.lastIndexOf("_") + 1));
  return Number.isSafeInteger(seq) && entryId(account_id, seq) === id ? seq : null;
}

const lockWallet = sql("SELECT status, balance_micro, posted_micro, entry_count FROM accounts WHERE id = ? {lock}");
const updateWallet = sql("UPDATE accounts SET balance_micro = ?, posted_micro = ?, entry_count = ? WHERE id = ?");
const insertEntry = sql(
  `INSERT INTO entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
);

const WALLET = { status: text, balance_micro: amount, posted_micro: amount, entry_count: int } as const;

const selectEntry = sql(`SELECT ${COLUMNS} FROM entries WHERE account_id = ? AND seq = ?`);
const insertId = sql(
  "INSERT INTO entry_ids (id, account_id, seq) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING id",
);
const selectId = sql("SELECT account_id, seq FROM entry_ids WHERE id = ?");

/** Books an entry, once for each booking id: a repeat returns the first booking. */
export function* addEntry(entry: NewEntry): Work<EntryRecord> {
  const { account_id, kind, amount_micro, note, actor, booking_id = null } = entry;
  requireSense(entry);
  const wallet = yield* readFirst(WALLET, lockWallet, [account_id]);
  if (wallet === null) throw noAccount(account_id);
  if (wallet.status === "moving") throw accountMoves(account_id);
  const earlier = booking_id === null ? null : yield* findBooking(booking_id);
  if (earlier !== null) return requireSame(entry, earlier);
  const balance_micro = add(wallet.balance_micro, amount_micro);
  const posted_micro = add(wallet.posted_micro, amount_micro);
  if (balance_micro < ZERO)
    throw new StoreConflict("The balance does not cover this correction: it would be negative.");
  if (posted_micro > MAX_MICRO) throw new StoreConflict("The balance would be larger than an account can hold.");
  const seq = wallet.entry_count + 1;
  const corrects_seq = yield* correctedSeq(entry);
  if (booking_id !== null && (yield* row(insertId, [booking_id, account_id, seq])) === null) {
    // Another account's booking took the id after the look above.
    throw idInUse(booking_id);
  }
  yield* rows(updateWallet, [balance_micro, posted_micro, seq, account_id]);
  const params = [account_id, seq, kind, amount_micro, posted_micro, note, actor, yield* now_ms(), corrects_seq];
  const made = yield* readFirst(ENTRY, insertEntry, params);
  if (made === null) throw new Error("the entry was not written");
  const booked = entryRecord(made);
  // In the same transaction: a crash cannot come between the money and its receipt.
  for (const each of entry.receipt === undefined ? [] : creditReceipts(booked, entry.receipt)) yield* addDelivery(each);
  return booked;
}

/** An entry that is booked now would stay behind when the account's rows leave (docs/adr/0085). */
function accountMoves(account_id: string): StoreUnavailable {
  const message = `The account ${account_id} is being moved to another database.`;
  return new StoreUnavailable("busy", message, { nothing_happened: true });
}

function requireSense({ kind, amount_micro, corrects = null }: NewEntry): void {
  if (amount_micro === ZERO) throw new StoreConflict("An entry of nothing changes nothing: give an amount.");
  if (kind === "credit" && amount_micro < ZERO) throw new StoreConflict("A credit is positive; use a correction.");
  if (kind === "credit" && corrects !== null) {
    throw new StoreConflict("A credit corrects no entry: use a correction, which may be positive.");
  }
}

/** The place of the entry that a correction corrects; null where it names none. */
function* correctedSeq({ account_id, corrects = null }: NewEntry): Work<number | null> {
  if (corrects === null) return null;
  const seq = entrySeq(account_id, corrects);
  const found = seq === null ? null : yield* row(selectEntry, [account_id, seq]);
  if (found !== null) return seq;
  throw new StoreConflict(`There is no entry ${JSON.stringify(corrects.slice(0, 100))} in this account's ledger.`);
}

function* findBooking(booking_id: string): Work<EntryRecord | null> {
  const named = yield* row<{ account_id: string; seq: unknown }>(selectId, [booking_id]);
  if (named === null) return null;
  const found = yield* readFirst(ENTRY, selectEntry, [named.account_id, toInt(named.seq)]);
  if (found === null) throw new Error(`the entry of the booking ${booking_id} is missing`);
  return entryRecord(found);
}

/** The earlier booking, if it is what is asked for again. A note may be worded anew. */
function requireSame(entry: NewEntry, earlier: EntryRecord): EntryRecord {
  const { account_id, kind, amount_micro, corrects = null, booking_id } = entry;
  const is_same =
    earlier.account_id === account_id &&
    earlier.kind === kind &&
    earlier.amount_micro === amount_micro &&
    earlier.corrects === corrects;
  if (!is_same) throw idInUse(booking_id ?? "");
  return earlier;
}

export function idInUse(booking_id: string): StoreConflict {
  const name = JSON.stringify(booking_id.slice(0, 200));
  return new StoreConflict(
    `The id ${name} was used for another booking: another account, kind, amount or corrected entry. Use an id once for each booking.`,
  );
}

const selectEntries = sql(
  `SELECT ${COLUMNS} FROM entries WHERE account_id = ? AND seq < ? AND created_ms < ? ORDER BY seq DESC LIMIT ?`,
);

/** The kind is written into the text, so that the planner can use the partial index of entries other than charges. */
const selectOfKind = {
  credit: ofKind("kind = 'credit' AND kind <> 'charge'"),
  correction: ofKind("kind = 'correction' AND kind <> 'charge'"),
  charge: ofKind("kind = 'charge'"),
} as const satisfies Record<EntryKind, Statement>;

function ofKind(condition: string): Statement {
  return sql(
    `SELECT ${COLUMNS} FROM entries WHERE account_id = ? AND seq < ? AND created_ms < ? AND ${condition}
      ORDER BY seq DESC LIMIT ?`,
  );
}

/** Finds a charge by its request, or by what is kept of a deleted request. */
const selectNamed = sql(
  `SELECT account_id, charge_seq AS seq FROM requests WHERE id = ? AND charge_seq IS NOT NULL
    UNION ALL SELECT account_id, seq FROM gone_charges WHERE request_id = ?`,
);

export function* findCharge(request_id: string): Work<EntryRecord | null> {
  const named = yield* row<{ account_id: string; seq: unknown }>(selectNamed, [request_id, request_id]);
  if (named === null) return null;
  const found = yield* readFirst(ENTRY, selectEntry, [named.account_id, toInt(named.seq)]);
  return found && entryRecord(found);
}

export function* listEntries(account_id: string, limit: number, query: EntryQuery = {}): Work<EntryRecord[]> {
  const { before_ms, before_id, kind } = query;
  const before_seq = before_id === undefined ? null : entrySeq(account_id, before_id);
  const last = Number.MAX_SAFE_INTEGER;
  const params = [account_id, before_seq ?? last, before_ms ?? last, limit];
  return (yield* readRows(ENTRY, kind === undefined ? selectEntries : selectOfKind[kind], params)).map(entryRecord);
}

/** The account that an entry with a booking id belongs to; null: there is none in these books. */
export function* bookedFor(booking_id: string): Work<string | null> {
  return (yield* row<{ account_id: string }>(selectId, [booking_id]))?.account_id ?? null;
}
