import type { ChoreName, ChoreState } from "../../core/operations/upkeep.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, intOrNull, readFirst, text, textOrNull } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** A node that has not beaten for this long is no longer at its chore. */
const DEAD_AFTER_MS = 60_000;

const CHORE = { node_id: text, started_ms: int, ended_ms: intOrNull, result: textOrNull } as const;
const select = sql(`SELECT ${columnsOf(CHORE)} FROM chores WHERE name = ?`);
const open = sql(
  `INSERT INTO chores (name, node_id, started_ms, beat_ms, ended_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
);
const claim = sql(
  `UPDATE chores SET node_id = ?, started_ms = ?, beat_ms = ?, ended_ms = NULL
    WHERE name = ? AND ((ended_ms IS NOT NULL AND started_ms < ?) OR (ended_ms IS NULL AND beat_ms < ?)) RETURNING name`,
);
const beat = sql("UPDATE chores SET beat_ms = ? WHERE name = ? AND node_id = ? AND ended_ms IS NULL RETURNING name");
const end = sql("UPDATE chores SET ended_ms = ?, result = ? WHERE name = ? AND node_id = ? AND ended_ms IS NULL");

export function* readChore(name: ChoreName): Work<ChoreState | null> {
  return yield* readFirst(CHORE, select, [name]);
}

export function* openChore(name: ChoreName, node_id: string): Work<void> {
  const now = yield* now_ms();
  yield* rows(open, [name, node_id, now, now, now]);
}

export function* claimChore(name: ChoreName, node_id: string, due_ms: number): Work<boolean> {
  const now = yield* now_ms();
  return (yield* row(claim, [node_id, now, now, name, due_ms, now - DEAD_AFTER_MS])) !== null;
}

export function* beatChore(name: ChoreName, node_id: string): Work<boolean> {
  return (yield* row(beat, [yield* now_ms(), name, node_id])) !== null;
}

export function* endChore(name: ChoreName, node_id: string, result: string): Work<void> {
  yield* rows(end, [yield* now_ms(), result, name, node_id]);
}
