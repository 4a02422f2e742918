import type { AuditActor, AuditLogQuery, AuditRecord, AuditSnapshot } from "../../core/people/audit.ts";
import { columnsOf, int, jsonOrNull, type ReadRow, readRows, text, textOrNull, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";

const ENTRY = {
  id: text,
  created_ms: int,
  actor_kind: word<Exclude<AuditActor["kind"], "management-key">>(),
  actor_id: textOrNull,
  actor_name: text,
  action: text,
  object_kind: text,
  object_id: textOrNull,
  account_id: textOrNull,
  was: jsonOrNull<AuditSnapshot>(),
  became: jsonOrNull<AuditSnapshot>(),
  address: textOrNull,
} as const;
type AuditRow = ReadRow<typeof ENTRY>;

const selectSeq = sql("SELECT seq FROM audit_log WHERE id = ?");

/** A filter that is absent is null, and a null filters nothing. */
const selectEntries = sql(
  `SELECT ${columnsOf(ENTRY)} FROM audit_log WHERE seq < ?
    AND (CAST(? AS TEXT) IS NULL OR actor_id = ? OR (actor_kind = 'admin-token' AND actor_id IS NULL AND ? = 'admin-token'))
    AND (CAST(? AS TEXT) IS NULL OR action = ? OR noun = ?)
    AND (CAST(? AS TEXT) IS NULL OR object_id = ?)
    AND (CAST(? AS TEXT) IS NULL OR account_id = ?)
    AND created_ms >= ? AND created_ms < ?
    ORDER BY seq DESC LIMIT ?`,
);

export function* listAuditEntries(query: AuditLogQuery): Work<AuditRecord[]> {
  const { actor = null, action = null, object_id = null, account_id = null, before_id, before_ms, limit } = query;
  const { from_ms = 0, to_ms = Number.MAX_SAFE_INTEGER } = query;
  const before = before_id === undefined ? null : yield* row<{ seq: unknown }>(selectSeq, [before_id]);
  if (before_id !== undefined && before === null && before_ms === undefined) return [];
  const before_seq = before === null ? Number.MAX_SAFE_INTEGER : toInt(before.seq);
  // Where the entry before is in other books, its time says which entries are older.
  const until_ms = before === null && before_ms !== undefined ? Math.min(to_ms, before_ms) : to_ms;
  const filters = [actor, actor, actor, action, action, action, object_id, object_id, account_id, account_id];
  const found = yield* readRows(ENTRY, selectEntries, [before_seq, ...filters, from_ms, until_ms, limit]);
  return found.map(auditRecord);
}

function auditRecord({ object_kind, object_id, was, became, ...found }: AuditRow): AuditRecord {
  const { id, created_ms, action, account_id, address } = found;
  const object = { kind: object_kind, id: object_id };
  return { id, created_ms, actor: actorOf(found), action, object, account_id, before: was, after: became, address };
}

function actorOf({
  actor_kind,
  actor_id,
  actor_name,
}: Pick<AuditRow, "actor_kind" | "actor_id" | "actor_name">): AuditActor {
  if (actor_kind === "user") return { kind: "user", id: actor_id ?? "", name: actor_name };
  if (actor_kind === "admin-token" && actor_id !== null)
    return { kind: "management-key", id: actor_id, name: actor_name };
  return { kind: actor_kind, id: null, name: actor_name };
}
