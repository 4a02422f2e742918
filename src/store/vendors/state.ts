import type { StoreState } from "../../core/store/ports.ts";
import { countIncidents } from "../recovery/incidents.ts";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

interface HoldsRow {
  readonly count: unknown;
  readonly sum_micro: unknown;
  readonly oldest_ms: unknown;
  readonly held_micro: unknown;
}

/** One statement, so that both sums are of the same moment. */
const selectHolds = sql(
  `SELECT COUNT(*) AS count, COALESCE(SUM(hold_micro), 0) AS sum_micro, MIN(created_ms) AS oldest_ms,
    (SELECT COALESCE(SUM(held_micro), 0) FROM accounts) AS held_micro
    FROM requests WHERE status = 'held'`,
);

const selectNodes = sql("SELECT id, beat_ms FROM nodes ORDER BY beat_ms DESC, id");

export function* state(): Work<StoreState> {
  const holds = yield* row<HoldsRow>(selectHolds);
  const nodes = yield* rows<{ id: string; beat_ms: unknown }>(selectNodes);
  const now = yield* now_ms();
  return {
    open_holds: {
      count: toInt(holds?.count ?? 0),
      sum_micro: toMicro(holds?.sum_micro ?? 0),
      oldest_ms: toIntOrNull(holds?.oldest_ms),
    },
    held_micro: toMicro(holds?.held_micro ?? 0),
    open_incidents: yield* countIncidents(),
    nodes: nodes.map(({ id, beat_ms }) => {
      const seen_ms = toInt(beat_ms);
      return { id, seen_ms, alive: now - seen_ms <= DEAD_AFTER_MS };
    }),
  };
}
