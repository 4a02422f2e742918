import type {
  HourSpan,
  TrafficCell,
  TrafficGroup,
  TrafficGroupSums,
  TrafficLatency,
  TrafficQuery,
  TrafficReport,
  TrafficSums,
} from "../../core/operations/traffic.ts";
import { labelAccounts } from "../accounts/accounts.ts";
import { Conditions, statementOf } from "../accounts/conditions.ts";
import { labelKeys } from "../accounts/keys.ts";
import {
  COUNT_COLUMNS,
  LATENCY_SUMS,
  latencyOf,
  MEASURED,
  STATUS_OF,
  SUMS,
  type SumRow,
  sumsOf,
  TRAFFIC,
} from "../schema/traffic-columns.ts";
import { type ReportCell, stackCells } from "../sql/report.ts";
import { sql, type Value } from "../sql/statement.ts";
import { toBoolean, toInt, toIntOrNull } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { planRead } from "../sums/read-plan.ts";

type MeasuredSums = TrafficSums & TrafficLatency;

const HOURS_PER_DAY = 24;

/** Sums from the tables of hours or days, along the time; of one account along its index. Never from requests. */
export function* reportTraffic(query: TrafficQuery): Work<TrafficReport> {
  const state = yield* row<{ counted_ms: unknown; is_behind: unknown }>(selectState);
  const counted = {
    counted_ms: toIntOrNull(state?.counted_ms),
    is_behind: state === null || toBoolean(state.is_behind),
  };
  // The whole gateway's sums are few, whatever its parts are told apart by.
  const whole: TrafficQuery = { ...query, group: null };
  const periods = yield* sumPeriods(whole);
  const total = MEASURED.total(periods);
  const [before = null] = query.before === null ? [] : yield* sumPeriods({ ...whole, periods: [query.before] });
  if (query.group === null) return { periods, total, before, groups: [], group_count: 0, cells: [], ...counted };
  const { groups: top, count } = yield* sumGroups(query, query.group);
  const ids = top.map(({ id }) => id);
  const before_top = query.before === null ? null : yield* sumBefore(query, query.group, ids);
  const names = yield* namesOf(query.group, ids);
  const groups: TrafficGroupSums[] = top.map((group) => ({
    ...group,
    name: names.get(group.id) ?? null,
    before: before_top === null ? null : (before_top.get(group.id) ?? MEASURED.nothing),
  }));
  const has_others = count > top.length;
  if (has_others) groups.push(othersOf(groups, total, before));
  const cells = stackCells(yield* findCells(query, query.group, ids), {
    ...{ sums: TRAFFIC, groups: ids },
    wholes: has_others ? periods.map((whole, period) => [period, whole]) : null,
    isAny: (rest) => rest.requests !== 0,
  });
  const shown: TrafficCell[] = cells.map(({ sums, period, group }) => ({ ...sums, period, group }));
  return { ...{ periods, total, before, groups }, group_count: count, cells: shown, ...counted };
}

const selectState = sql("SELECT counted_ms, is_behind FROM traffic_state WHERE one = 1");

/** What a group is told apart by. */
const GROUPS: Readonly<Record<TrafficGroup, string>> = {
  account: "t.account_id",
  key: "t.key_id",
  model: "r.model",
  vendor: "r.vendor",
  route: "r.vendor || ' ' || r.upstream_model",
  status: STATUS_OF,
  error: "t.outcome",
};

interface TrafficSource {
  /** What is read, as a statement of reports has it (accounts/conditions.ts). */
  readonly source: string;
  readonly params: readonly Value[];
  readonly sums: string;
}

/**
 * The rows of the smallest table that can answer, each joined to the period `p` in which it lies. `of_some`: only the rows of a few accounts are
 * read, for which the tables with routes have an index.
 */
function sourceOf(query: TrafficQuery, of_some = false): TrafficSource {
  const { account_id, key_id, model, vendor, upstream_model, status, group, by_day } = query;
  const of_account = account_id !== null || key_id !== undefined || group === "account" || group === "key";
  const names_route = [model, vendor, upstream_model].some((each) => each !== undefined);
  const is_routed = names_route || group === "model" || group === "vendor" || group === "route";
  const time = by_day ? "day" : "hour";
  const is_by_key = of_account && by_day && account_id === null && !is_routed && group !== "error" && !of_some;
  const table = is_by_key ? "traffic_key_days" : `traffic_${of_account ? "account_" : ""}${time}s`;
  const where = new Conditions();
  where.and("t.account_id = ?", account_id);
  where.and("t.key_id = ?", key_id);
  where.and("r.model = ?", model);
  where.and("r.vendor = ?", vendor);
  where.and("r.upstream_model = ?", upstream_model);
  where.and(`(${STATUS_OF}) = ?`, status);
  // Periods of one day or hour each are found by it, and not by comparing each row with each period.
  const are_single = of_some && query.periods.every(([from, to]) => to - from === (by_day ? HOURS_PER_DAY : 1));
  const within = `${table} AS t ON ${are_single ? `t.${time} = p.start` : `t.${time} >= p.start AND t.${time} < p.stop`}`;
  // PostgreSQL does not look into the periods when it plans: from the first to the last is what some accounts' index is asked for.
  const edge = (at: string): string => `($1::text::jsonb->${at})::bigint`;
  const bounds = of_some ? `{postgres: AND t.${time} >= ${edge("0->>0")} AND t.${time} < ${edge("-1->>1")}}` : "";
  const routed = is_routed ? "{then} traffic_routes AS r ON r.no = t.route_no" : "";
  // The periods come first: each is a stretch of the table's own order, or of the account's index.
  return {
    source: `FROM {periods} {then} ${within} ${bounds} ${routed}${where.text}`,
    params: where.params,
    sums: of_account ? SUMS : `${SUMS}, ${LATENCY_SUMS}`,
  };
}

/** The periods as the tables count time. */
function spansText(spans: readonly HourSpan[], by_day: boolean): string {
  const scale = by_day ? HOURS_PER_DAY : 1;
  return JSON.stringify(spans.map((span) => span.map((hour) => Math.floor(hour / scale))));
}

type PeriodRow = SumRow & { readonly period: unknown };

/** All requests of each period. */
function* sumPeriods(query: TrafficQuery): Work<MeasuredSums[]> {
  const { source, params, sums: read } = sourceOf(query);
  const statement = statementOf(`SELECT p.period AS period, ${read} ${source} GROUP BY p.period`);
  const found = yield* rows<PeriodRow>(statement, [spansText(query.periods, query.by_day), ...params]);
  const sums = new Map(found.map((each) => [toInt(each.period), { ...sumsOf(each), ...latencyOf(each) }]));
  return query.periods.map((_, at) => sums.get(at) ?? MEASURED.nothing);
}

type TrafficGroupRow = PeriodRow & { readonly group: string };

interface TopGroup extends MeasuredSums {
  readonly id: string;
}

/** The groups with the highest charge in the whole time, and how many there are. */
function* sumGroups(query: TrafficQuery, group: TrafficGroup): Work<{ groups: readonly TopGroup[]; count: number }> {
  const whole: HourSpan = [query.periods[0]?.[0] ?? 0, query.periods.at(-1)?.[1] ?? 0];
  const { source, params, sums: read } = isApart(query) ? yield* readApart(query, whole) : readWhole(query, whole);
  const by = GROUPS[group];
  const statement = statementOf(
    `SELECT ${by} AS "group", count(*) OVER () AS group_count, ${read} ${source}
      GROUP BY ${by} ORDER BY sum(t.charge_micro) DESC, sum(t.requests) DESC, ${by} LIMIT ?`,
  );
  const found = yield* rows<TrafficGroupRow & { readonly group_count: unknown }>(statement, [...params, query.top]);
  const groups = found.map((each) => ({ id: each.group, ...sumsOf(each), ...latencyOf(each) }));
  return { groups, count: toInt(found[0]?.group_count ?? 0) };
}

function readWhole(query: TrafficQuery, whole: HourSpan): TrafficSource {
  const read = sourceOf(query);
  return { ...read, params: [spansText([whole], query.by_day), ...read.params] };
}

/** All accounts or keys of a long time are many rows, which sums of days have fewer of. */
function* readApart({ by_day, status }: TrafficQuery, whole: HourSpan): Work<TrafficSource> {
  const { source, params } = yield* apartRows(whole, by_day);
  const where = new Conditions();
  where.and(`(${STATUS_OF}) = ?`, status);
  return { source: `${source}${where.text}`, params: [...params, ...where.params], sums: SUMS };
}

/** The same groups in the time before. */
function* sumBefore(
  query: TrafficQuery,
  group: TrafficGroup,
  ids: readonly string[],
): Work<ReadonlyMap<string, MeasuredSums>> {
  if (query.before === null || ids.length === 0) return new Map();
  const { source, params, sums: read } = sourceOf({ ...query, periods: [query.before] }, isApart(query));
  const by = GROUPS[group];
  const some = among(source, query, group);
  const statement = statementOf(`SELECT ${by} AS "group", ${read} ${source} ${some.text} GROUP BY ${by}`);
  const named = Array<Value>(some.times).fill(JSON.stringify(ids));
  const given = [spansText([query.before], query.by_day), ...params, ...named];
  const found = yield* rows<TrafficGroupRow>(statement, given);
  return new Map(found.map((each) => [each.group, { ...sumsOf(each), ...latencyOf(each) }]));
}

/** A condition, and how many times the given ids are its parameters. */
interface Among {
  readonly text: string;
  readonly times: number;
}

/** Only given groups. Keys are looked for where their accounts' rows are. */
function among(source: string, { account_id }: TrafficQuery, group: TrafficGroup): Among {
  const word = source.includes(" WHERE ") ? "AND" : "WHERE";
  const by_account = group === "key" && account_id === null;
  const of_accounts = by_account ? "t.account_id IN (SELECT account_id FROM keys WHERE id IN ({list})) AND " : "";
  return { text: `${word} ${of_accounts}(${GROUPS[group]}) IN ({list})`, times: by_account ? 2 : 1 };
}

/** What the whole has beyond the groups that stand for themselves. */
export function othersOf(
  shown: readonly TrafficGroupSums[],
  total: MeasuredSums,
  before: MeasuredSums | null,
): TrafficGroupSums {
  const earlier = shown.map((each) => each.before ?? MEASURED.nothing);
  return { ...MEASURED.rest(total, shown), id: null, name: null, before: before && MEASURED.rest(before, earlier) };
}

/** The shown groups in each period. */
function* findCells(
  query: TrafficQuery,
  group: TrafficGroup,
  ids: readonly string[],
): Work<ReportCell<number, TrafficSums>[]> {
  if (ids.length === 0) return [];
  const { source, params } = sourceOf(query, isApart(query));
  const by = GROUPS[group];
  const some = among(source, query, group);
  const statement = statementOf(
    `SELECT p.period AS period, ${by} AS "group", ${SUMS} ${source} ${some.text} GROUP BY p.period, ${by} ORDER BY p.period`,
  );
  const named = Array<Value>(some.times).fill(JSON.stringify(ids));
  const given = [spansText(query.periods, query.by_day), ...params, ...named];
  const found = yield* rows<TrafficGroupRow>(statement, given);
  return found.map((each) => ({ period: toInt(each.period), group: each.group, sums: sumsOf(each) }));
}

function* namesOf(group: TrafficGroup, ids: readonly string[]): Work<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  if (group === "account") {
    return new Map((yield* labelAccounts(ids)).map(({ id, email }) => [id, email]));
  }
  if (group === "key") return new Map((yield* labelKeys(ids)).map(({ id, name }) => [id, name]));
  return new Map();
}

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
function isApart({ account_id, key_id, model, vendor, upstream_model, group }: TrafficQuery): boolean {
  const is_narrower = [key_id, model, vendor, upstream_model].some((each) => each !== undefined);
  return account_id === null && !is_narrower && (group === "account" || group === "key");
}

/**
 * The traffic of all accounts by account and key in one stretch of time: from the sums of its days as far as there are any, from the days,
 * and where it does not begin or end with a day, from the hours.
 */
function* apartRows(
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
