import type { MonthNotes } from "../../core/operations/upkeep.ts";
import { listPartitions, type Month, type RequestPartition } from "../schema/request-partitions.ts";
import { setMark } from "../sql/marks.ts";
import { onPostgres } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** How many requests a step takes note of. No caller waits for it. */
const AT_ONCE = 1000;

const lockParts = onPostgres("LOCK TABLE ONLY requests_ended IN ACCESS EXCLUSIVE MODE");
const deleteLate = onPostgres("DELETE FROM late_settlements WHERE request_id >= ? AND request_id < ?");

/**
 * Prepares the drop of the oldest month whose requests all ended before `kept_since_ms`, step by step: writes down where some of their charges
 * are, which an audit needs for ever. Null where there is no such month. May be started again at any time.
 */
export function* noteMonth(kept_since_ms: number, after_id: string): Work<MonthNotes | null> {
  const month = yield* oldestPast(yield* listPartitions(), kept_since_ms);
  if (month === null) return null;
  // Before anything goes: an audit that reads it looks for no request that may be gone.
  yield* setMark("requests_kept_since_ms", kept_since_ms);
  const { name, from_id, to_id } = month;
  const begin_id = after_id > from_id && after_id < to_id ? after_id : from_id;
  const noted = yield* row<{ last_id: string | null; requests: unknown }>(
    onPostgres(`WITH page AS MATERIALIZED (SELECT id, account_id, charge_seq FROM ${name} WHERE id > ? ORDER BY id LIMIT ${AT_ONCE}),
        noted AS (INSERT INTO gone_charges (request_id, account_id, seq)
          SELECT id, account_id, charge_seq FROM page WHERE charge_seq IS NOT NULL ON CONFLICT (request_id) DO NOTHING)
      SELECT max(id) AS last_id, count(*) AS requests FROM page`),
    [begin_id],
  );
  return { month: name, requests: toInt(noted?.requests ?? 0), last_id: noted?.last_id ?? begin_id };
}

/**
 * Drops a month whose requests all ended before `kept_since_ms` and are all noted; false where that is not true, or not any more. The lock keeps
 * ended requests from being written: behind it, requests that a wrong clock has put into the month are looked for.
 */
export function* dropMonth(noted: Pick<MonthNotes, "month" | "last_id">, kept_since_ms: number): Work<boolean> {
  const ofMonth = (partitions: readonly RequestPartition[]) => partitions.filter(({ name }) => name === noted.month);
  if ((yield* oldestPast(ofMonth(yield* listPartitions()), kept_since_ms)) === null) return false;
  yield* rows(lockParts);
  const month = yield* oldestPast(ofMonth(yield* listPartitions()), kept_since_ms);
  if (month === null) return false;
  const { name, from_id, to_id } = month;
  if ((yield* row(onPostgres(`SELECT 1 AS found FROM ${name} WHERE id > ? LIMIT 1`), [noted.last_id])) !== null)
    return false;
  yield* rows(deleteLate, [from_id, to_id]);
  yield* rows(onPostgres(`DROP TABLE ${name}`));
  return true;
}

/** The oldest month that was over before `kept_since_ms`, and in which no request has ended since. */
function* oldestPast(partitions: readonly RequestPartition[], kept_since_ms: number): Work<Month | null> {
  for (const month of pastMonths(partitions, kept_since_ms)) if (!(yield* hasYoung(month, kept_since_ms))) return month;
  return null;
}

/** The months that were over before a moment. */
export function pastMonths(partitions: readonly RequestPartition[], before_ms: number): Month[] {
  return partitions.flatMap(({ month }) => (month !== null && month.over_ms <= before_ms ? [month] : []));
}

/** Whether a month that is over has a request that has ended since a moment: a clock was wrong by months when its id was made. */
export function* hasYoung({ name, over_ms }: Month, since_ms: number): Work<boolean> {
  const text = `SELECT 1 AS found FROM ${name} WHERE ended_ms >= ${over_ms} AND ended_ms >= ? LIMIT 1`;
  return (yield* row(onPostgres(text), [since_ms])) !== null;
}
