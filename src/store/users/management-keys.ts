import type { AuditNote } from "../../core/people/audit.ts";
import type { ManagementKeyRecord, ManagementKeyStore, NewManagementKey } from "../../core/people/management-keys.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { isManagementUseStale, managementKeyStatus } from "../../people/keys/management-key-life.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { readJson, toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

const COLUMNS = "id, hint, name, scopes, account_id, created_by, created_ms, expires_ms, last_used_ms, revoked_ms";

interface ManagementKeyRow {
  readonly id: string;
  readonly hint: string;
  readonly name: string;
  readonly scopes: string;
  readonly account_id: string | null;
  readonly created_by: string;
  readonly created_ms: unknown;
  readonly expires_ms: unknown;
  readonly last_used_ms: unknown;
  readonly revoked_ms: unknown;
}

function recordOf(found: ManagementKeyRow): ManagementKeyRecord {
  return {
    ...found,
    scopes: readJson(found.scopes),
    created_ms: toInt(found.created_ms),
    expires_ms: toIntOrNull(found.expires_ms),
    last_used_ms: toIntOrNull(found.last_used_ms),
    revoked_ms: toIntOrNull(found.revoked_ms),
  };
}

const selectAccount = sql("SELECT id FROM accounts WHERE id = ?");
const insertKey = sql(
  `INSERT INTO management_keys (id, hash, hint, name, scopes, account_id, created_by, created_ms, expires_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
);

export function* createManagementKey(key: NewManagementKey, note: AuditNote): Work<ManagementKeyRecord> {
  const { id, hash, hint, name, scopes, account_id, created_by, expires_ms } = key;
  if (account_id !== null && (yield* row(selectAccount, [account_id])) === null)
    throw new StoreConflict(`There is no account ${account_id}.`);
  const params = [id, hash, hint, name, JSON.stringify(scopes), account_id, created_by, yield* now_ms(), expires_ms];
  const made = yield* row<ManagementKeyRow>(insertKey, params);
  if (made === null) throw new StoreConflict(`There is a management key ${id} already: its Idempotency-Key made it.`);
  const record = recordOf(made);
  yield* writeAuditEntry({ ...note, ...subject(record), before: null, after: shown(record) });
  return record;
}

const selectPlace = sql("SELECT created_ms FROM management_keys WHERE id = ?");
/** A filter that is absent is null, and a null filters nothing. */
const selectPage = sql(
  `SELECT ${COLUMNS} FROM management_keys
    WHERE (CAST(? AS TEXT) IS NULL OR account_id = ?) AND (created_ms < ? OR (created_ms = ? AND id < ?))
    ORDER BY created_ms DESC, id DESC LIMIT ?`,
);

export function* listManagementKeys(
  query: Parameters<ManagementKeyStore["listManagementKeys"]>[0],
): Work<ManagementKeyRecord[]> {
  const { account_id, before_id, limit } = query;
  const place = before_id === undefined ? null : yield* row<{ created_ms: unknown }>(selectPlace, [before_id]);
  if (before_id !== undefined && place === null) return [];
  const before_ms = place === null ? Number.MAX_SAFE_INTEGER : toInt(place.created_ms);
  const params = [account_id, account_id, before_ms, before_ms, before_id ?? "", limit];
  return (yield* rows<ManagementKeyRow>(selectPage, params)).map(recordOf);
}

const selectById = sql(`SELECT ${COLUMNS} FROM management_keys WHERE id = ?`);
const selectByHash = sql(`SELECT ${COLUMNS} FROM management_keys WHERE hash = ?`);

export function* findManagementKey(id: string): Work<ManagementKeyRecord | null> {
  const found = yield* row<ManagementKeyRow>(selectById, [id]);
  return found && recordOf(found);
}

export function* findManagementKeyByHash(
  hash: string,
): Work<{ key: ManagementKeyRecord; usable: boolean; stale: boolean } | null> {
  const found = yield* row<ManagementKeyRow>(selectByHash, [hash]);
  if (found === null) return null;
  const key = recordOf(found);
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
  const found = yield* row<ManagementKeyRow>(revoke, [yield* now_ms(), id]);
  if (found === null) return yield* findManagementKey(id);
  const record = recordOf(found);
  yield* writeAuditEntry({ ...note, ...subject(record), before: shown(before), after: shown(record) });
  return record;
}

function subject({ id, account_id }: ManagementKeyRecord) {
  return { object: { kind: "management_key", id }, account_id };
}

function shown({ last_used_ms: _used, ...record }: ManagementKeyRecord): Record<string, unknown> {
  return record;
}
