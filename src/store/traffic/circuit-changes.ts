import type { CircuitChange, CircuitQuery, CircuitReason, CircuitRecord } from "../../core/operations/circuits.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, readRows, text, textOrNull, typesOf, valuesOf, word } from "../sql/columns.ts";
import { insertEach, sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

const CHANGE = {
  node_id: text,
  no: int,
  at_ms: int,
  vendor: text,
  upstream_model: text,
  account_id: textOrNull,
  state: word<CircuitRecord["state"]>(),
  reason: word<CircuitReason>(),
  attempts: int,
  failures: int,
} as const;
// A node whose write was cut off writes it again.
const insert = insertEach("circuit_changes", typesOf(CHANGE), { conflict: "(node_id, no) DO NOTHING" });

export function* writeCircuitChanges(node_id: string, changes: readonly CircuitChange[]): Work<void> {
  if (changes.length === 0) return;
  const now = yield* now_ms();
  yield* rows(
    insert,
    changes.map((change) => valuesOf(CHANGE, { ...change, node_id, at_ms: now - change.age_ms })),
  );
}

const select = sql(
  `SELECT ${columnsOf(CHANGE)} FROM circuit_changes
    WHERE at_ms >= ? AND (CAST(? AS TEXT) IS NULL OR vendor = ?) ORDER BY at_ms DESC, node_id DESC, no DESC LIMIT ?`,
);

/** Newest first. */
export function* listCircuitChanges({ since_ms, vendor = null, limit }: CircuitAsked): Work<CircuitRecord[]> {
  return yield* readRows(CHANGE, select, [since_ms, vendor, vendor, limit]);
}

type CircuitAsked = Omit<CircuitQuery, "vendor"> & { readonly vendor?: string | null };

const drop = sql(
  `DELETE FROM circuit_changes WHERE (node_id, no) IN
    (SELECT node_id, no FROM circuit_changes WHERE at_ms < ? ORDER BY at_ms LIMIT 200) RETURNING no`,
);

/** Deletes some of the oldest changes before a time. Returns how many went. */
export function* dropCircuitChanges(kept_since_ms: number): Work<number> {
  return (yield* rows(drop, [kept_since_ms])).length;
}
