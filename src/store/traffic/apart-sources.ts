import type { HourSpan, TrafficQuery } from "../../core/operations/traffic.ts";
import { COUNT_COLUMNS } from "../schema/traffic-columns.ts";
import type { Value } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { planRead } from "../sums/read-plan.ts";

const HOURS_PER_DAY = 24;

const counts = (of: string): string => COUNT_COLUMNS.map((name) => `${of}.${name}`).join(", ");
const places = (of: string): string => `${of}.account_id, ${of}.key_id, ${of}.outcome, ${counts(of)}`;
/** PostgreSQL is told between which times all pairs lie. */
const within = (time: string): string => `{postgres:  AND ${time} >= p.least AND ${time} <= p.most}`;

/** Rows of the traffic `t`. */
const ROWS = `FROM (
    SELECT ${places("s")} FROM {pairs} AS p {then} traffic_key_sums AS s ON s.size = p.a AND s.first_day = p.b
    UNION ALL SELECT ${places("d")} FROM {pairs} AS p {then} traffic_key_days AS d ON d.day >= p.a AND d.day <= p.b${within("d.day")}
    UNION ALL SELECT ${places("h")} FROM {pairs} AS p {then} traffic_account_hours AS h ON h.hour >= p.a AND h.hour < p.b${within("h.hour")}) AS t`;

/** Whether a query tells apart all accounts or keys by nothing that sums over days have not. */
export function isApart({ account_id, key_id, model, vendor, upstream_model, group }: TrafficQuery): boolean {
  const is_narrower = [key_id, model, vendor, upstream_model].some((each) => each !== undefined);
  return account_id === null && !is_narrower && (group === "account" || group === "key");
}

/**
 * The traffic of all accounts by account and key in one stretch of time: from the sums of its days as far as there are any, from the days,
 * and where it does not begin or end with a day, from the hours.
 */
export function* apartRows(
  [start, stop]: HourSpan,
  by_day: boolean,
): Work<{ readonly source: string; readonly params: readonly Value[] }> {
  const first = by_day ? Math.floor(start / HOURS_PER_DAY) : Math.ceil(start / HOURS_PER_DAY);
  const end = Math.floor(stop / HOURS_PER_DAY);
  const has_days = first < end;
  const { spans, rest } = has_days ? yield* planRead("traffic", { first, last: end - 1 }) : { spans: [], rest: [] };
  const edges = has_days
    ? [
        [start, first * HOURS_PER_DAY],
        [end * HOURS_PER_DAY, stop],
      ]
    : [[start, stop]];
  const hours = by_day ? [] : edges.filter(([from = 0, to = 0]) => from < to);
  return {
    source: ROWS,
    params: [
      JSON.stringify(spans.map(({ size, first_day }) => [size, first_day])),
      JSON.stringify(rest.map((days) => [days.first, days.last])),
      JSON.stringify(hours),
    ],
  };
}
