import { add, MAX_MICRO, type Micro, ZERO } from "../../core/money.ts";
import { type EntryKind, type EntryQuery, type EntryRecord, StoreConflict } from "../../core/ports.ts";
import { now_ms } from "../sql/clock.ts";
import { type Statement, sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const COLUMNS = "account_id, seq, kind, amount_micro, posted_after_micro, request_id, note, actor, created_ms";

interface EntryRow {
  readonly account_id: string;
  readonly seq: unknown;
  readonly kind: EntryKind;
  readonly amount_micro: unknown;
  readonly posted_after_micro: unknown;
  readonly request_id: string | null;
  readonly note: string;
  readonly actor: string;
  readonly created_ms: unknown;
}

/** An entry is named by its place in its account's ledger, which never changes. */
function entryRecord(found: EntryRow): EntryRecord {
  return {
    id: entryId(found.account_id, toInt(found.seq)),
    account_id: found.account_id,
    kind: found.kind,
    amount_micro: toMicro(found.amount_micro),
    posted_after_micro: toMicro(found.posted_after_micro),
    request_id: found.request_id,
    note: found.note,
    actor: found.actor,
    created_ms: toInt(found.created_ms),
  };
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

const lockWallet = sql("SELECT balance_micro, posted_micro, entry_count FROM accounts WHERE id = ? {lock}");
const updateWallet = sql("UPDATE accounts SET balance_micro = ?, posted_micro = ?, entry_count = ? WHERE id = ?");
const insertEntry = sql(`INSERT INTO entries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?) RETURNING ${COLUMNS}`);

interface WalletRow {
  readonly balance_micro: unknown;
  readonly posted_micro: unknown;
  readonly entry_count: unknown;
}

export interface NewEntry {
  account_id: string;
  kind: "credit" | "correction";
  amount_micro: Micro;
  note: string;
  actor: string;
}

export function* addEntry({ account_id, kind, amount_micro, note, actor }: NewEntry): Work<EntryRecord> {
  if (amount_micro === ZERO) throw new StoreConflict("An entry of nothing changes nothing: give an amount.");
  if (kind === "credit" && amount_micro < ZERO)
    throw new StoreConflict("A credit is positive; take away by a correction.");
  const wallet = yield* row<WalletRow>(lockWallet, [account_id]);
  if (wallet === null) throw new StoreConflict(`There is no account ${account_id}.`);
  const balance_micro = add(toMicro(wallet.balance_micro), amount_micro);
  const posted_micro = add(toMicro(wallet.posted_micro), amount_micro);
  if (balance_micro < ZERO)
    throw new StoreConflict("The balance does not cover this correction: it would be negative.");
  if (posted_micro > MAX_MICRO) throw new StoreConflict("The balance would be larger than an account can hold.");
  const seq = toInt(wallet.entry_count) + 1;
  yield* rows(updateWallet, [balance_micro, posted_micro, seq, account_id]);
  const params = [account_id, seq, kind, amount_micro, posted_micro, note, actor, yield* now_ms()];
  const made = yield* row<EntryRow>(insertEntry, params);
  if (made === null) throw new Error("the entry was not written");
  return entryRecord(made);
}

const selectEntries = sql(
  `SELECT ${COLUMNS} FROM entries WHERE account_id = ? AND seq < ? AND created_ms < ? ORDER BY seq DESC LIMIT ?`,
);

/** The kind as part of the text, so that the index of entries that are no charges is found. */
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

const selectCharge = sql(`SELECT ${COLUMNS} FROM entries WHERE request_id = ?`);

export function* findCharge(request_id: string): Work<EntryRecord | null> {
  const found = yield* row<EntryRow>(selectCharge, [request_id]);
  return found && entryRecord(found);
}

export function* listEntries(account_id: string, limit: number, query: EntryQuery = {}): Work<EntryRecord[]> {
  const { before_ms, before_id, kind } = query;
  const before_seq = before_id === undefined ? null : entrySeq(account_id, before_id);
  const last = Number.MAX_SAFE_INTEGER;
  const params = [account_id, before_seq ?? last, before_ms ?? last, limit];
  return (yield* rows<EntryRow>(kind === undefined ? selectEntries : selectOfKind[kind], params)).map(entryRecord);
}
