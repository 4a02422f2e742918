import { requestIdsFrom } from "../../core/ids.ts";
import type { RequestQuery } from "../../core/store/ports.ts";
import { sql } from "../sql/statement.ts";
import { toIntOrNull } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";

/** The largest difference between the time in a request's id and its admission: clocks differ, and a body takes time to arrive. */
const APART_MS = 3_600_000;
/** How many rows beyond each end are checked for being as old as their ids say. */
const ASKED = 100;
/** Ids that sort after this one contain no time: one made in the year 2081 would be the first. */
const TIMELESS = "req_1";

const selectTimeless = sql(`SELECT id FROM requests WHERE id >= '${TIMELESS}' ORDER BY id LIMIT 1`);
const selectAfter = sql(
  `SELECT min(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id >= ? ORDER BY id LIMIT ${ASKED}) AS after`,
);
const selectBefore = sql(
  `SELECT max(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id < ? ORDER BY id DESC LIMIT ${ASKED}) AS before`,
);

/** Bounds of the ids of all requests of a time; an end is undefined where nothing is known about it. */
interface IdSpan {
  readonly from_id?: string;
  readonly to_id?: string;
}

/**
 * The range of ids in which the requests of a time lie, so that a list of an old day need not read everything newer. Ids begin with the time
 * at which they were made. The range is used only where the rows beyond each end confirm it, which they do not after a wrong clock or for
 * ids without a time.
 */
export function* idsOfTime({ from_ms, to_ms }: Pick<RequestQuery, "from_ms" | "to_ms">): Work<IdSpan> {
  if ((yield* row(selectTimeless)) !== null) return {};
  let span: IdSpan = {};
  if (to_ms !== undefined) {
    const to_id = requestIdsFrom(to_ms + APART_MS);
    if ((yield* timeOf(selectAfter, to_id, to_ms)) >= to_ms) span = { to_id };
  }
  if (from_ms !== undefined) {
    const from_id = requestIdsFrom(from_ms - APART_MS);
    if ((yield* timeOf(selectBefore, from_id, from_ms - 1)) < from_ms) span = { ...span, from_id };
  }
  return span;
}

/** The time of the rows beyond an end, or `otherwise_ms` where there are none. */
function* timeOf(statement: typeof selectAfter, id: string, otherwise_ms: number): Work<number> {
  const found = yield* row<{ time_ms: unknown }>(statement, [id]);
  return toIntOrNull(found?.time_ms) ?? otherwise_ms;
}
