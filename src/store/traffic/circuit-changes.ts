import type { CircuitChange, CircuitQuery, CircuitReason, CircuitRecord } from "../../core/operations/circuits.ts";
import { now_ms } from "../sql/clock.ts";
import { insertEach, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

const insert = insertEach(
  "circuit_changes",
  {
    ...{ node_id: "text", no: "bigint", at_ms: "bigint", vendor: "text", upstream_model: "text", account_id: "text" },
    ...{ state: "text", reason: "text", attempts: "bigint", failures: "bigint" },
  },
  // A node whose write was cut off writes it again.
  { conflict: "(node_id, no) DO NOTHING" },
);

export function* writeCircuitChanges(node_id: string, changes: readonly CircuitChange[]): Work<void> {
  if (changes.length === 0) return;
  const now = yield* now_ms();
  yield* rows(
    insert,
    changes.map(({ no, age_ms, vendor, upstream_model, account_id, state, reason, attempts, failures }) => [
      ...[node_id, no, now - age_ms, vendor, upstream_model, account_id, state, reason, attempts, failures],
    ]),
  );
}

interface ChangeRow {
  readonly node_id: string;
  readonly no: unknown;
  readonly at_ms: unknown;
  readonly vendor: string;
  readonly upstream_model: string;
  readonly account_id: string | null;
  readonly state: CircuitRecord["state"];
  readonly reason: CircuitReason;
  readonly attempts: unknown;
  readonly failures: unknown;
}

const select = sql(
  `SELECT node_id, no, at_ms, vendor, upstream_model, account_id, state, reason, attempts, failures FROM circuit_changes
    WHERE at_ms >= ? AND (CAST(? AS TEXT) IS NULL OR vendor = ?) ORDER BY at_ms DESC, node_id DESC, no DESC LIMIT ?`,
);

/** Newest first. */
export function* listCircuitChanges({ since_ms, vendor = null, limit }: CircuitAsked): Work<CircuitRecord[]> {
  const found = yield* rows<ChangeRow>(select, [since_ms, vendor, vendor, limit]);
  return found.map(({ no, at_ms, attempts, failures, ...named }) => ({
    ...named,
    ...{ no: toInt(no), at_ms: toInt(at_ms), attempts: toInt(attempts), failures: toInt(failures) },
  }));
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
