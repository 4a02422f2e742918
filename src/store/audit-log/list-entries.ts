import type { AuditActor, AuditLogQuery, AuditRecord, AuditSnapshot } from "../../core/people/audit.ts";
import { sql } from "../sql/statement.ts";
import { readJson, toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

interface AuditRow {
  readonly id: string;
  readonly created_ms: unknown;
  readonly actor_kind: Exclude<AuditActor["kind"], "management-key">;
  readonly actor_id: string | null;
  readonly actor_name: string;
  readonly action: string;
  readonly object_kind: string;
  readonly object_id: string | null;
  readonly account_id: string | null;
  readonly was: string | null;
  readonly became: string | null;
  readonly address: string | null;
}

const SELECT = `SELECT id, created_ms, actor_kind, actor_id, actor_name, action, object_kind, object_id, account_id, was,
  became, address FROM audit_log`;

const selectSeq = sql("SELECT seq FROM audit_log WHERE id = ?");

/** A filter that is absent is null, and a null filters nothing. */
const selectEntries = sql(
  `${SELECT} WHERE seq < ?
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
  // Of other books' entry the time says which are older.
  const until_ms = before === null && before_ms !== undefined ? Math.min(to_ms, before_ms) : to_ms;
  const filters = [actor, actor, actor, action, action, action, object_id, object_id, account_id, account_id];
  const found = yield* rows<AuditRow>(selectEntries, [before_seq, ...filters, from_ms, until_ms, limit]);
  return found.map(auditRecord);
}

function auditRecord(found: AuditRow): AuditRecord {
  return {
    id: found.id,
    created_ms: toInt(found.created_ms),
    actor: actorOf(found),
    action: found.action,
    object: { kind: found.object_kind, id: found.object_id },
    account_id: found.account_id,
    before: snapshotOf(found.was),
    after: snapshotOf(found.became),
    address: found.address,
  };
}

function actorOf({ actor_kind, actor_id, actor_name }: AuditRow): AuditActor {
  if (actor_kind === "user") return { kind: "user", id: actor_id ?? "", name: actor_name };
  if (actor_kind === "admin-token" && actor_id !== null)
    return { kind: "management-key", id: actor_id, name: actor_name };
  return { kind: actor_kind, id: null, name: actor_name };
}

function snapshotOf(text: string | null): AuditSnapshot | null {
  return text === null ? null : readJson(text);
}
