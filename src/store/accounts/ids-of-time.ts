import { requestIdsFrom } from "../../core/ids.ts";
import type { RequestQuery } from "../../core/store/ports.ts";
import { sql } from "../sql/statement.ts";
import { toIntOrNull } from "../sql/values.ts";
import { row, type Work } from "../sql/work.ts";

/** How far the time in a request's id and that of its admission may be apart: clocks differ, and a body takes its time to arrive. */
const APART_MS = 3_600_000;
/** How many rows beyond each end are asked whether they are as old as their ids say. */
const ASKED = 100;
/** Ids behind this place have no time: one of the year 2081 would. */
const TIMELESS = "req_1";

const selectTimeless = sql(`SELECT id FROM requests WHERE id >= '${TIMELESS}' ORDER BY id LIMIT 1`);
const selectAfter = sql(
  `SELECT min(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id >= ? ORDER BY id LIMIT ${ASKED}) AS after`,
);
const selectBefore = sql(
  `SELECT max(created_ms) AS time_ms FROM (SELECT created_ms FROM requests WHERE id < ? ORDER BY id DESC LIMIT ${ASKED}) AS before`,
);

/** Ids between which all requests of a time lie; undefined where nothing is to be known of that end. */
export interface IdSpan {
  readonly from_id?: string;
  readonly to_id?: string;
}

/**
 * Where the requests of a time are among all requests, which are listed by their ids. Ids begin with the time at which they were made, so a
 * list of an old day need not look through all that came later. It is believed where the rows beyond each end bear it out: not of clocks
 * that were wrong, nor of ids that are no time.
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

/** The time of the rows beyond an end, and another where there are none. */
function* timeOf(statement: typeof selectAfter, id: string, otherwise_ms: number): Work<number> {
  const found = yield* row<{ time_ms: unknown }>(statement, [id]);
  return toIntOrNull(found?.time_ms) ?? otherwise_ms;
}
