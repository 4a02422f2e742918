import type { AccountLabel } from "../../core/operations/traffic.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import type { AccountStatus } from "../../core/people/principal.ts";
import type { NewAccount, PlacedAccount } from "../../core/store/cells.ts";
import { type AccountRecord, StoreConflict } from "../../core/store/ports.ts";
import { emailKey } from "../../people/users/email-key.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, flag, int, type RawRow, readRow, text, textOrNull, word } from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toBoolean, toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { LIMIT_COLUMNS, type LimitsRow, readLimits } from "./limit-columns.ts";
import { lockAccount, renewKeys } from "./locks.ts";
import { accountHasOwn } from "./own-settings.ts";

const ACCOUNT = {
  id: text,
  email: text,
  name: text,
  status: word<AccountStatus | "moving">(),
  created_ms: int,
  balance_micro: amount,
  held_micro: amount,
} as const;
const STORED = { ...ACCOUNT, time_zone: textOrNull, cell: textOrNull, has_limits: flag } as const;
const SELECT = `SELECT ${columnsOf(STORED, "a")}, ${LIMIT_COLUMNS.map((name) => `l.${name}`).join(", ")}
  FROM accounts AS a LEFT JOIN account_limits AS l ON l.account_id = a.id`;

type StoredAccountRow = RawRow<typeof STORED> & LimitsRow;

function accountRecord(found: StoredAccountRow): AccountRecord {
  const { status, ...account } = readRow(ACCOUNT, found);
  return {
    ...account,
    // One that is moved is as active as before and after it.
    status: status === "moving" ? "active" : status,
    ...(toBoolean(found.has_limits) && { limits: readLimits(found) }),
    ...(found.time_zone !== null && { time_zone: found.time_zone }),
    ...(found.cell !== null && { cell: found.cell }),
  };
}

const insertAccount = sql(
  `INSERT INTO accounts (id, email, email_key, name, status, created_ms, cell, balance_micro, held_micro, posted_micro)
    VALUES (?, ?, ?, ?, 'active', ?, ?, 0, 0, 0) ON CONFLICT DO NOTHING RETURNING id`,
);

const selectId = sql("SELECT id FROM accounts WHERE id = ?");

export function* createAccount(account: NewAccount): Work<AccountRecord> {
  const email = account.email.trim();
  const created_ms = account.created_ms ?? (yield* now_ms());
  const params = [account.id, email, emailKey(email), account.name, created_ms, account.cell ?? null];
  const made = yield* row(insertAccount, params);
  if (made === null) {
    const is_same_id = (yield* row(selectId, [account.id])) !== null;
    const what = is_same_id
      ? `an account ${account.id}: its Idempotency-Key made it`
      : `an account with the e-mail ${email}`;
    throw new StoreConflict(`There is ${what} already.`);
  }
  return yield* existing(account.id);
}

const HERE = "a.cell IS NULL";
const selectAccounts = sql(`${SELECT} WHERE ${HERE} ORDER BY a.created_ms, a.id`);

export function* listAccounts(): Work<AccountRecord[]> {
  return (yield* rows<StoredAccountRow>(selectAccounts)).map(accountRecord);
}

const selectPage = sql(
  `${SELECT} WHERE ${HERE} AND (CAST(? AS TEXT) IS NULL OR a.status = ?) AND ${accountHasOwn} AND ${behind("a.")}
    AND ${searchCondition("lower(a.email || ' ' || a.name || ' ' || a.id)")}
    ORDER BY a.created_ms DESC, a.id DESC LIMIT ?`,
);

export function* searchAccounts(query: ListQuery): Work<AccountRecord[]> {
  const { status = null, limit, search, own = null } = query;
  const place = yield* placeIn("accounts", query);
  if (place === null) return [];
  const params = [status, status, own, ...place, ...searchParams(search), limit];
  return (yield* rows<StoredAccountRow>(selectPage, params)).map(accountRecord);
}

const selectAccount = sql(
  `${SELECT} WHERE a.id IN (SELECT id FROM accounts WHERE id = ? UNION ALL SELECT id FROM accounts WHERE email_key = ?)`,
);

export function* findAccount(id_or_email: string): Work<AccountRecord | null> {
  const found = yield* row<StoredAccountRow>(selectAccount, [id_or_email, emailKey(id_or_email)]);
  return found && accountRecord(found);
}

const updateStatus = sql(`UPDATE accounts SET status = ? WHERE id = ? RETURNING id`);

/** Renews the keys' versions, so that no key that was read before is admitted after. */
export function* setAccountStatus(account_id: string, status: AccountStatus): Work<AccountRecord | null> {
  if ((yield* row(updateStatus, [status, account_id])) === null) return null;
  yield* rows(renewKeys.account, [account_id]);
  return yield* existing(account_id);
}

const selectOther = sql("SELECT id FROM accounts WHERE email_key = ? AND id <> ?");
const updateNames =
  sql(`UPDATE accounts SET name = coalesce(CAST(? AS TEXT), name), email = coalesce(CAST(? AS TEXT), email),
  email_key = coalesce(CAST(? AS TEXT), email_key) WHERE id = ? RETURNING id`);

export function* renameAccount(
  account_id: string,
  { name = null, email: given = null }: { readonly name?: string | null; readonly email?: string | null },
): Work<AccountRecord | null> {
  const email = given?.trim() ?? null;
  const key = email === null ? null : emailKey(email);
  if (key !== null && (yield* row(selectOther, [key, account_id])) !== null)
    throw new StoreConflict(`There is an account with the e-mail ${email} already.`);
  if ((yield* row(updateNames, [name, email, key, account_id])) === null) return null;
  return yield* existing(account_id);
}

const updateZone = sql("UPDATE accounts SET time_zone = ? WHERE id = ?");
/** The kept sums are of the old zone's days: whoever needs them next makes them anew (ledger/books/window-spending.ts). */
const forgetSums = [
  "key_state SET spent_window = NULL WHERE key_id IN (SELECT id FROM keys WHERE account_id = ?)",
  "projects SET spent_window = NULL WHERE account_id = ?",
  "account_limits SET spent_window = NULL WHERE account_id = ?",
].map((change) => sql(`UPDATE ${change}`));

/** Sets the zone of the days on which the account's budgets renew (docs/rulings.md 179); null: UTC. Null where there is no such account. */
export function* setTimeZone(account_id: string, time_zone: string | null): Work<AccountRecord | null> {
  if (!(yield* lockAccount(account_id))) return null;
  yield* rows(updateZone, [time_zone, account_id]);
  for (const forget of forgetSums) yield* rows(forget, [account_id]);
  yield* rows(renewKeys.account, [account_id]);
  return yield* existing(account_id);
}

function* existing(account_id: string): Work<AccountRecord> {
  const account = yield* findAccount(account_id);
  if (account === null) throw new Error(`the account ${account_id} was not written`);
  return account;
}

const selectLabels = lookup("SELECT id, email, name FROM accounts", { id: "text" });

export function* labelAccounts(account_ids: readonly string[]): Work<AccountLabel[]> {
  const params = [...new Set(account_ids)].map((id) => [id]);
  return params.length === 0 ? [] : [...(yield* rows<AccountLabel>(selectLabels, params))];
}

const PLACES_AT_ONCE = 500;
const selectPlaces = sql(
  `SELECT id, cell, created_ms FROM accounts WHERE cell IS NOT NULL AND id > ? ORDER BY id LIMIT ${PLACES_AT_ONCE}`,
);

const selectHere = sql(`SELECT id FROM accounts WHERE cell IS NULL AND id > ? ORDER BY id LIMIT ${PLACES_AT_ONCE}`);

/** Accounts that these books have themselves, some after an id. */
export function* accountsAfter(account_id: string): Work<string[]> {
  return (yield* rows<{ id: string }>(selectHere, [account_id])).map(({ id }) => id);
}

/** Accounts that live in other cells (docs/adr/0085), some after an id. */
export function* placesAfter(account_id: string): Work<PlacedAccount[]> {
  const found = yield* rows<{ id: string; cell: string; created_ms: unknown }>(selectPlaces, [account_id]);
  return found.map(({ created_ms, ...each }) => ({ ...each, created_ms: toInt(created_ms) }));
}
