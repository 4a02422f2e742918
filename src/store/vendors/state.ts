import { ZERO } from "../../core/money/money.ts";
import type { StoreState } from "../../core/store/store-state.ts";
import { countIncidents } from "../recovery/incidents.ts";
import { DEAD_AFTER_MS } from "../recovery/node-watch.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, int, intOrNull, readFirst, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";

const HOLDS = { count: int, sum_micro: amount, oldest_ms: intOrNull, held_micro: amount } as const;
const NODE = { id: text, seen_ms: int } as const;

/** One statement, so that both sums are of the same moment. */
const selectHolds = sql(
  `SELECT COUNT(*) AS count, COALESCE(SUM(hold_micro), 0) AS sum_micro, MIN(created_ms) AS oldest_ms,
    (SELECT COALESCE(SUM(held_micro), 0) FROM accounts) AS held_micro
    FROM requests WHERE status = 'held'`,
);

const selectNodes = sql("SELECT id, beat_ms AS seen_ms FROM nodes ORDER BY beat_ms DESC, id");

export function* state(): Work<StoreState> {
  const holds = yield* readFirst(HOLDS, selectHolds);
  const nodes = yield* readRows(NODE, selectNodes);
  const now = yield* now_ms();
  const { held_micro, ...open_holds } = holds ?? { count: 0, sum_micro: ZERO, oldest_ms: null, held_micro: ZERO };
  return {
    open_holds,
    held_micro,
    open_incidents: yield* countIncidents(),
    nodes: nodes.map(({ id, seen_ms }) => ({ id, seen_ms, alive: now - seen_ms <= DEAD_AFTER_MS })),
  };
}
