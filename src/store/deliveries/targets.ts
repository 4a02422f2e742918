import type { Channel, NewTarget, TargetRecord } from "../../core/deliveries/deliveries.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, intOrNull, jsonOrNull, readFirst, readRows, text, textOrNull, word } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

/** The most targets of an account, and of the gateway beside those of its file. */
const MOST_TARGETS = 20;

const TARGET = {
  id: text,
  account_id: textOrNull,
  channel: word<Channel>(),
  sealed: text,
  types: jsonOrNull<string[]>(),
  created_ms: int,
  created_by: text,
  ended_ms: intOrNull,
  ended_reason: textOrNull,
} as const;
const COLUMNS = columnsOf(TARGET);

const all = sql(`SELECT ${COLUMNS} FROM targets ORDER BY created_ms, id`);
const one = sql(`SELECT ${COLUMNS} FROM targets WHERE id = ?`);

export function* listTargets(): Work<TargetRecord[]> {
  return yield* readRows(TARGET, all);
}

export function* findTarget(id: string): Work<TargetRecord | null> {
  return yield* readFirst(TARGET, one, [id]);
}

const insert = sql(
  `INSERT INTO targets (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
);

/** Throws a StoreConflict where there are too many. */
export function* addTarget(target: NewTarget, note: AuditNote): Work<TargetRecord> {
  const { id, account_id, channel, sealed, types, created_by } = target;
  const others = (yield* listTargets()).filter((each) => each.account_id === account_id);
  if (others.length >= MOST_TARGETS)
    throw new StoreConflict(`There are ${MOST_TARGETS} targets already: remove one first.`);
  const heard = types === null ? null : JSON.stringify(types);
  const params = [id, account_id, channel, sealed, heard, yield* now_ms(), created_by];
  const made = yield* readFirst(TARGET, insert, params);
  if (made === null) throw new StoreConflict("There is or was such a target: its Idempotency-Key made it.");
  const object = { kind: "alert-target", id };
  yield* writeAuditEntry({ ...note, object, account_id, before: null, after: { channel, types } });
  return made;
}

const removeOne = sql(`DELETE FROM targets WHERE id = ? RETURNING ${COLUMNS}`);
const failWaiting = sql(
  `UPDATE deliveries SET state = 'failed', due_ms = NULL, ended_ms = ?, reason = ? WHERE recipient = ? AND kind = 'alert' AND due_ms IS NOT NULL`,
);

/** Removes a target, and ends the deliveries that wait for it. False where there is none. */
export function* removeTarget(id: string, note: AuditNote): Work<boolean> {
  const gone = yield* readFirst(TARGET, removeOne, [id]);
  if (gone === null) return false;
  yield* rows(failWaiting, [yield* now_ms(), "the target was removed", id]);
  const { channel, types, account_id } = gone;
  yield* writeAuditEntry({
    ...note,
    object: { kind: "alert-target", id },
    account_id,
    before: { channel, types },
    after: null,
  });
  return true;
}

const endOne = sql("UPDATE targets SET ended_ms = ?, ended_reason = ? WHERE id = ? AND ended_ms IS NULL");
const openOne = sql("UPDATE targets SET ended_ms = NULL, ended_reason = NULL WHERE id = ? AND ended_ms IS NOT NULL");

/** The target has said that it is gone: it is told nothing more, and the deliveries that wait for it end. */
export function* endTarget(id: string, reason: string): Work<void> {
  const now = yield* now_ms();
  yield* rows(endOne, [now, reason, id]);
  yield* rows(failWaiting, [now, reason, id]);
}

/** A target that has taken a delivery again is told everything again. */
export function* reopenTarget(id: string): Work<void> {
  yield* rows(openOne, [id]);
}
