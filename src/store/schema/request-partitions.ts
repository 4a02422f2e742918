import { MS_PER_DAY } from "../../core/clock.ts";
import { requestIdsFrom } from "../../core/ids.ts";
import { sqlFor } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

/**
 * The partitions of ended requests on PostgreSQL (docs/adr/0057): ranges of their ids, which begin with the time. The embedded database has
 * no partitions.
 */

/** The partition for ids from before the first month, which are made by clocks that were behind. */
export const EARLY = "requests_early";
/**
 * The default partition, for ids of no month: the month's partition is not made yet, the clock was far ahead, or the id has no time in it.
 */
export const OTHER = "requests_other";

/** A calendar month (UTC). Its partition has the requests whose ids were made in it. */
export interface Month {
  /** `requests_YYYY_MM`, which is the name of its table. */
  readonly name: string;
  readonly from_ms: number;
  /** The beginning of the next one. */
  readonly to_ms: number;
  readonly from_id: string;
  readonly to_id: string;
  /** A day after its end: requests that were made in it have ended by then. A later end comes from a wrong clock. */
  readonly over_ms: number;
}

export function monthOf(time_ms: number): Month {
  const time = new Date(time_ms);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  const [from_ms, to_ms] = [Date.UTC(year, month), Date.UTC(year, month + 1)];
  const name = `requests_${String(year).padStart(4, "0")}_${String(month + 1).padStart(2, "0")}`;
  const ids = { from_id: requestIdsFrom(from_ms), to_id: requestIdsFrom(to_ms) };
  return { name, from_ms, to_ms, ...ids, over_ms: to_ms + MS_PER_DAY };
}

/** The months from that of one time to that of another, and a number of further months. */
export function monthsBetween(from_ms: number, to_ms: number, more: number): Month[] {
  const months: Month[] = [];
  const to = new Date(to_ms);
  const end_ms = Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + more + 1);
  for (let next = monthOf(from_ms); next.from_ms < end_ms; next = monthOf(next.to_ms)) months.push(next);
  return months;
}

export interface RequestPartition {
  readonly name: string;
  /** The upper bound of its ids, exclusive; null where it has none. */
  readonly to_id: string | null;
  /** Null for the two partitions that are not a month's. */
  readonly month: Month | null;
}

const selectParts = sqlFor({
  sqlite: "SELECT '' AS name, '' AS bound WHERE 0 = 1",
  postgres: `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = 'requests_ended'::regclass ORDER BY c.relname`,
});

/** The existing partitions, months in their order; none in the embedded database. */
export function* listPartitions(): Work<readonly RequestPartition[]> {
  const found = yield* rows<{ name: string; bound: string }>(selectParts);
  return found.map(({ name, bound }) => ({
    name,
    to_id: / TO \('([^']*)'\)/.exec(bound)?.[1] ?? null,
    month: monthNamed(name),
  }));
}

function monthNamed(name: string): Month | null {
  const [, year, month] = /^requests_(\d{4})_(\d{2})$/.exec(name) ?? [];
  return year === undefined || month === undefined ? null : monthOf(Date.UTC(Number(year), Number(month) - 1));
}
