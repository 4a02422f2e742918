import { type AccountRecord, StoreConflict } from "../../core/ports.ts";
import type { AccountStatus } from "../../core/principal.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const COLUMNS = "id, email, name, status, created_ms, balance_micro, held_micro";

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly created_ms: unknown;
  readonly balance_micro: unknown;
  readonly held_micro: unknown;
}

function accountRecord(found: AccountRow): AccountRecord {
  return {
    id: found.id,
    email: found.email,
    name: found.name,
    status: found.status,
    created_ms: toInt(found.created_ms),
    balance_micro: toMicro(found.balance_micro),
    held_micro: toMicro(found.held_micro),
  };
}

const insertAccount = sql(
  `INSERT INTO accounts (id, email, email_key, name, status, created_ms, balance_micro, held_micro, posted_micro)
    VALUES (?, ?, ?, ?, 'active', ?, 0, 0, 0) ON CONFLICT (email_key) DO NOTHING RETURNING ${COLUMNS}`,
);

export function* createAccount(account: { id: string; email: string; name: string }): Work<AccountRecord> {
  const email = account.email.trim();
  const params = [account.id, email, email.toLowerCase(), account.name, yield* now_ms()];
  const made = yield* row<AccountRow>(insertAccount, params);
  if (made === null) throw new StoreConflict(`There is an account with the e-mail ${email} already.`);
  return accountRecord(made);
}

const selectAccounts = sql(`SELECT ${COLUMNS} FROM accounts ORDER BY created_ms, id`);

export function* listAccounts(): Work<AccountRecord[]> {
  return (yield* rows<AccountRow>(selectAccounts)).map(accountRecord);
}

const selectAccount = sql(`SELECT ${COLUMNS} FROM accounts WHERE id = ? OR email_key = ?`);

export function* findAccount(id_or_email: string): Work<AccountRecord | null> {
  const found = yield* row<AccountRow>(selectAccount, [id_or_email, id_or_email.trim().toLowerCase()]);
  return found && accountRecord(found);
}

const updateStatus = sql(`UPDATE accounts SET status = ? WHERE id = ? RETURNING ${COLUMNS}`);
const renewKeys = sql("UPDATE keys SET version = version + 1 WHERE account_id = ?");

/** Renews the keys' versions, so that no key that was read before is admitted after. */
export function* setAccountStatus(account_id: string, status: AccountStatus): Work<AccountRecord | null> {
  const changed = yield* row<AccountRow>(updateStatus, [status, account_id]);
  if (changed === null) return null;
  yield* rows(renewKeys, [account_id]);
  return accountRecord(changed);
}
