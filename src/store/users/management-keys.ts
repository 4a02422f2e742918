import type { AuditNote } from "../../core/people/audit.ts";
import type { ManagementKeyRecord, ManagementKeyStore, NewManagementKey } from "../../core/people/management-keys.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { isManagementUseStale, managementKeyStatus } from "../../people/keys/management-key-life.ts";
import { noAccount } from "../accounts/locks.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, intOrNull, json, readFirst, readRows, text, textOrNull } from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

const KEY = {
  id: text,
  hint: text,
  name: text,
  scopes: json<ManagementKeyRecord["scopes"]>(),
  account_id: textOrNull,
  created_by: text,
  created_ms: int,
  expires_ms: intOrNull,
  last_used_ms: intOrNull,
  revoked_ms: intOrNull,
} as const;
const COLUMNS = columnsOf(KEY);

const selectAccount = sql("SELECT id FROM accounts WHERE id = ?");
const insertKey = sql(
  `INSERT INTO management_keys (id, hash, hint, name, scopes, account_id, created_by, created_ms, expires_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
);

export function* createManagementKey(key: NewManagementKey, note: AuditNote): Work<ManagementKeyRecord> {
  const { id, hash, hint, name, scopes, account_id, created_by, expires_ms } = key;
  if (account_id !== null && (yield* row(selectAccount, [account_id])) === null) throw noAccount(account_id);
  const params = [id, hash, hint, name, JSON.stringify(scopes), account_id, created_by, yield* now_ms(), expires_ms];
  const record = yield* readFirst(KEY, insertKey, params);
  if (record === null) throw new StoreConflict(`There is a management key ${id} already: its Idempotency-Key made it.`);
  yield* writeAuditEntry({ ...note, ...subject(record), before: null, after: shown(record) });
  return record;
}

/** A filter that is absent is null, and a null filters nothing. */
const selectPage = sql(
  `SELECT ${COLUMNS} FROM management_keys
    WHERE (CAST(? AS TEXT) IS NULL OR account_id = ?) AND ${behind("")}
    ORDER BY created_ms DESC, id DESC LIMIT ?`,
);

export function* listManagementKeys(
  query: Parameters<ManagementKeyStore["listManagementKeys"]>[0],
): Work<ManagementKeyRecord[]> {
  const { account_id, limit } = query;
  const place = yield* placeIn("management_keys", query);
  return place === null ? [] : yield* readRows(KEY, selectPage, [account_id, account_id, ...place, limit]);
}

const selectById = sql(`SELECT ${COLUMNS} FROM management_keys WHERE id = ?`);
const selectByHash = sql(`SELECT ${COLUMNS} FROM management_keys WHERE hash = ?`);

export function* findManagementKey(id: string): Work<ManagementKeyRecord | null> {
  return yield* readFirst(KEY, selectById, [id]);
}

export function* findManagementKeyByHash(
  hash: string,
): Work<{ key: ManagementKeyRecord; usable: boolean; stale: boolean } | null> {
  const key = yield* readFirst(KEY, selectByHash, [hash]);
  if (key === null) return null;
  const now = yield* now_ms();
  const usable = managementKeyStatus(key, now) === "active";
  return { key, usable, stale: isManagementUseStale(key, now) };
}

const markUsed = sql("UPDATE management_keys SET last_used_ms = ? WHERE id = ?");

export function* touchManagementKey(id: string): Work<void> {
  yield* rows(markUsed, [yield* now_ms(), id]);
}

const revoke = sql(
  `UPDATE management_keys SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL RETURNING ${COLUMNS}`,
);

export function* revokeManagementKey(id: string, note: AuditNote): Work<ManagementKeyRecord | null> {
  const before = yield* findManagementKey(id);
  if (before === null || before.revoked_ms !== null) return before;
  const record = yield* readFirst(KEY, revoke, [yield* now_ms(), id]);
  if (record === null) return yield* findManagementKey(id);
  yield* writeAuditEntry({ ...note, ...subject(record), before: shown(before), after: shown(record) });
  return record;
}

function subject({ id, account_id }: ManagementKeyRecord) {
  return { object: { kind: "management_key", id }, account_id };
}

function shown({ last_used_ms: _used, ...record }: ManagementKeyRecord): Record<string, unknown> {
  return record;
}
