import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import {
  StoreConflict,
  type UsageCell,
  type UsageExploration,
  type UsageExploreQuery,
  type UsageGroup,
  type UsageTotals,
} from "../../core/store/ports.ts";
import { formatDay, parseDay } from "../../limits/windows.ts";
import { stackCells } from "../sql/report.ts";
import { type Statement, sql, type Value } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import type { Days } from "../sums/read-plan.ts";
import { Conditions, statementOf } from "./conditions.ts";
import {
  SUMS,
  USAGE,
  type UsageRows,
  type UsageSumRow,
  usageOfAll,
  usageOfAllByTag,
  usageSource,
} from "./usage-sums.ts";

/** Usage by day, by key, model, project or tag, or by both, along the days' index of an account. Sums are exact. */
export function* exploreUsage(query: UsageExploreQuery): Work<UsageExploration> {
  const { groups: where, days: by_days } = yield* sourcesOf(query);
  if (query.group === null) {
    const days = yield* sumDays(by_days, query.limit);
    return { groups: [], rows: days.map((day) => ({ ...day, group: null, others: false })), total: USAGE.total(days) };
  }
  if (query.group === "model" && query.by_day) return yield* exploreModelDays(query, where);
  if (query.group === "tag" && query.by_day) return yield* exploreTagDays(query, where);
  const all = yield* sumGroups(where, GROUPS[query.group]);
  const groups = withOthers(all, query);
  const total = USAGE.total(all);
  if (!query.by_day)
    return { groups, rows: groups.map(({ id, ...rest }) => ({ ...rest, day: null, group: id })), total };
  return { groups, rows: yield* sumCells(query, by_days, groups), total };
}

/**
 * There are few models, so all of their days are read in one statement and summed up here: a year of all accounts has millions of rows, which are read
 * once instead of three times.
 */
function* exploreModelDays(query: UsageExploreQuery, where: RowSource): Work<UsageExploration> {
  const statement = statementOf(
    `SELECT day, model AS "group", ${SUMS} FROM ${where.from}${where.where} GROUP BY day, model ORDER BY day`,
  );
  const cells = (yield* rows<CellRow>(statement, where.params)).filter(isUsed);
  const sumOf = (each: readonly CellRow[]): UsageTotals => USAGE.total(each.map((row) => USAGE.read(row)));
  const all = Array.from(
    Map.groupBy(cells, ({ group }) => group),
    ([id, of]) => ({ id, others: false, ...sumOf(of) }),
  );
  const groups = withOthers(all.toSorted(dearestFirst), query);
  const shown = new Set(groups.map(({ id }) => id));
  const found = cells.filter(({ group }) => shown.has(group)).slice(0, query.limit);
  const by_day = Map.groupBy(cells, (each) => toInt(each.day));
  const days = Array.from(by_day, ([day, of]) => ({ day: formatDay(day), ...sumOf(of) })).slice(0, query.limit);
  return { groups, rows: stack(groups, found, days), total: USAGE.total(all) };
}

/**
 * A tag may have many values, so only the dearest have rows by day. One statement sums up the days' rows by day and value: rows of a value's
 * total have no day, and rows of a day's total no value.
 */
function* exploreTagDays(query: UsageExploreQuery, where: RowSource): Work<UsageExploration> {
  const found = yield* rows<TagDayRow>(tagDaysStatement(where), [...where.params, query.top ?? query.limit]);
  const used = found.filter(isUsed);
  const all = used.flatMap(({ day, group: id, place, ...each }) =>
    day === null ? [{ place: toInt(place), id, others: false, ...USAGE.read(each) }] : [],
  );
  const groups = withOthers(
    all.toSorted((a, b) => a.place - b.place).map(({ place: _, ...group }) => group),
    query,
  );
  const dated = used.filter(({ day }) => day !== null).toSorted((a, b) => toInt(a.day) - toInt(b.day));
  const cells = dated.flatMap((each) => (each.group === null ? [] : [{ ...each, group: each.group }]));
  const days = dated.filter(({ group }) => group === null);
  const whole_days = days.map((each) => ({ day: formatDay(toInt(each.day)), ...USAGE.read(each) }));
  const shown = stack(groups, cells.slice(0, query.limit), whole_days.slice(0, query.limit));
  return { groups, rows: shown, total: USAGE.total(all) };
}

interface TagDayRow extends UsageSumRow {
  readonly day: unknown;
  readonly group: string | null;
  /** The rank of a value's total, the dearest being 1; null in rows of single days. */
  readonly place: unknown;
}

const TOTALS = ["cost_micro", "prompt_tokens", "completion_tokens", "request_count", "success_count", ...UNIT_COUNTS];

function tagDaysStatement({ from, where }: RowSource): Statement {
  const columns = TOTALS.join(", ");
  const sums = TOTALS.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(", ");
  return statementOf(`WITH cells AS MATERIALIZED (SELECT day, tag, ${SUMS} FROM ${from}${where} GROUP BY day, tag),
      sums AS (SELECT tag, ${sums} FROM cells GROUP BY tag),
      ranked AS MATERIALIZED (
        SELECT *, row_number() OVER (ORDER BY cost_micro DESC, request_count DESC, tag) AS place FROM sums WHERE request_count > 0
      )
    SELECT CAST(NULL AS BIGINT) AS day, tag AS "group", place, ${columns} FROM ranked
    UNION ALL SELECT day, NULL, NULL, ${sums} FROM cells GROUP BY day
    UNION ALL SELECT day, tag, NULL, ${columns} FROM cells WHERE tag IN (SELECT tag FROM ranked WHERE place <= ?)`);
}

/** The order of the groups, equal to the database's where the database sums them up. */
export function dearestFirst(a: UsageGroup, b: UsageGroup): number {
  if (a.cost_micro !== b.cost_micro) return a.cost_micro < b.cost_micro ? 1 : -1;
  if (a.request_count !== b.request_count) return b.request_count - a.request_count;
  return (a.id ?? "") < (b.id ?? "") ? -1 : 1;
}

type GroupedBy = NonNullable<UsageExploreQuery["group"]>;
const GROUPS = { key: "key_id", model: "model", project: "project_id", tag: "tag" } as const satisfies Record<
  GroupedBy,
  string
>;

interface RowSource {
  readonly from: string;
  /** The WHERE clause with its keyword; empty where every row counts. */
  readonly where: string;
  readonly params: readonly Value[];
}

function narrowed({ text, params }: UsageRows, where = new Conditions()): RowSource {
  return { from: text, where: where.text, params: [...params, ...where.params] };
}

interface ExploredRows {
  /** The rows from which groups are summed up over all days. */
  readonly groups: RowSource;
  /** The rows from which single days are read. */
  readonly days: RowSource;
}

/** The rows to read for a report: for all accounts from sums of past days, where these have the wanted grouping. */
function* sourcesOf(query: UsageExploreQuery): Work<ExploredRows> {
  const asked = yield* withAccount(query);
  const { account_id, key_id, project_id, tag, group, model } = asked;
  const all = sourceOf(asked);
  const from_rows = { groups: all, days: all };
  const is_whole = account_id === null && key_id === undefined && project_id === undefined;
  if (!is_whole || group === "project") return from_rows;
  if (tag !== undefined) {
    return model !== undefined || group === "model" ? from_rows : yield* tagSourcesOf(asked, tag);
  }
  const within = daysOf(asked);
  const where = new Conditions();
  where.and("model = ?", model);
  const days = narrowed(yield* usageOfAll("day", within), where);
  if (group === null || (group === "model" && asked.by_day)) return { groups: days, days };
  if (group === "model") return { groups: narrowed(yield* usageOfAll("model", within), where), days };
  return { groups: model === undefined ? narrowed(yield* usageOfAll("key", within)) : all, days };
}

/** The sources of `sourcesOf` for a report on all models by a tag: sums by key, one for each value of the tag. */
function* tagSourcesOf(query: UsageExploreQuery, tag: string): Work<ExploredRows> {
  const { group, by_day } = query;
  const within = daysOf(query);
  const asked = { name: tag, value: query.tag_value };
  const days = narrowed(yield* usageOfAllByTag("tag_day", asked, within));
  if (group === null || (group === "tag" && by_day)) return { groups: days, days };
  return { groups: narrowed(yield* usageOfAllByTag(group === "tag" ? "tag" : "key", asked, within)), days };
}

function daysOf({ since, until }: UsageExploreQuery): Days {
  return { first: dayNamed(since), last: dayNamed(until) };
}

const selectAccount = sql("SELECT account_id FROM keys WHERE id = ?");

/** Adds a key's account to the query, because the index of usage begins with the account. */
function* withAccount(query: UsageExploreQuery): Work<UsageExploreQuery> {
  if (query.account_id !== null || query.key_id === undefined) return query;
  const key = yield* row<{ account_id: string }>(selectAccount, [query.key_id]);
  return key === null ? query : { ...query, account_id: key.account_id };
}

function sourceOf(query: UsageExploreQuery): RowSource {
  const { account_id, since, until, key_id, model, project_id, group, tag } = query;
  const where = new Conditions();
  where.and("account_id = ?", account_id);
  where.and("project_id = ?", project_id);
  where.and("day >= ?", dayNamed(since));
  where.and("day <= ?", dayNamed(until));
  where.and("key_id = ?", key_id);
  where.and("model = ?", model);
  where.and("tag = ?", query.tag_value);
  return narrowed(usageSource(group === "project" || project_id !== undefined, tag), where);
}

/** The number of a day `YYYY-MM-DD`. */
export function dayNamed(text: string): number {
  const day = parseDay(text);
  if (day === null) throw new StoreConflict(`${JSON.stringify(text)} is not a day: write it as YYYY-MM-DD.`);
  return day;
}

interface Day extends UsageTotals {
  readonly day: string;
}

function* sumDays(where: RowSource, limit: number): Work<Day[]> {
  const statement = statementOf(
    `SELECT day, ${SUMS} FROM ${where.from}${where.where} GROUP BY day ORDER BY day LIMIT ?`,
  );
  const found = yield* rows<UsageSumRow & { day: unknown }>(statement, [...where.params, limit]);
  return found.filter(isUsed).map((each) => ({ day: formatDay(toInt(each.day)), ...USAGE.read(each) }));
}

/** Sums up groups, dearest first. The ORDER BY names columns by number, as their names are also those of the summed columns. */
function* sumGroups(where: RowSource, column: string): Work<UsageGroup[]> {
  const statement = statementOf(
    `SELECT ${column} AS "group", ${SUMS} FROM ${where.from}${where.where} GROUP BY ${column} ORDER BY 2 DESC, 5 DESC, 1`,
  );
  const found = yield* rows<UsageSumRow & { group: string }>(statement, where.params);
  return found.filter(isUsed).map((each) => ({ id: each.group, others: false, ...USAGE.read(each) }));
}

/** The group without a project may have no requests. */
function isUsed({ request_count }: UsageSumRow): boolean {
  return toInt(request_count) > 0;
}

export function withOthers(groups: readonly UsageGroup[], { top, limit }: UsageExploreQuery): UsageGroup[] {
  const shown = groups.slice(0, top ?? limit);
  const rest = groups.slice(shown.length);
  return rest.length === 0 || top === null ? shown : [...shown, { id: null, others: true, ...USAGE.total(rest) }];
}

/** Sums by day and group, for the groups with rows of their own. */
function* sumCells(query: UsageExploreQuery, by_days: RowSource, groups: readonly UsageGroup[]): Work<UsageCell[]> {
  if (query.group === null) return [];
  const ids = groups.flatMap(({ id }) => (id === null ? [] : [id]));
  const where = sourceOf(query);
  const named = JSON.stringify(ids);
  // The index of days begins with the account, so the keys' accounts are conditions as well.
  const of_accounts = query.group === "key" && query.account_id === null;
  const params: Value[] = [...where.params, ...(of_accounts ? [named] : []), named, query.limit];
  const cells = yield* rows<CellRow>(cellsStatement(GROUPS[query.group], where, of_accounts), params);
  const days = groups.length > ids.length ? yield* sumDays(by_days, query.limit) : [];
  return stack(groups, cells.filter(isUsed), days);
}

/** Orders cells by day and group. The usage of a day beyond the groups with rows of their own goes into the day's row of others. */
function stack(groups: readonly UsageGroup[], found: readonly CellRow[], days: readonly Day[]): UsageCell[] {
  const ids = groups.flatMap(({ id }) => (id === null ? [] : [id]));
  const cells = found.map((each) => ({
    period: formatDay(toInt(each.day)),
    group: each.group,
    sums: USAGE.read(each),
  }));
  const stacked = stackCells(cells, {
    ...{ sums: USAGE, groups: ids },
    wholes: groups.length > ids.length ? days.map((whole) => [whole.day, whole]) : null,
    isAny: ({ request_count }) => request_count !== 0,
  });
  return stacked.map(({ period: day, group, sums }) => ({ day, group, others: group === null, ...sums }));
}

interface CellRow extends UsageSumRow {
  readonly day: unknown;
  readonly group: string;
}

function cellsStatement(column: string, { from, where }: RowSource, of_accounts: boolean): Statement {
  const accounts = of_accounts ? "account_id {among}SELECT account_id FROM keys WHERE id IN ({list}){end} AND" : "";
  return statementOf(
    `SELECT day, ${column} AS "group", ${SUMS} FROM ${from}${where === "" ? " WHERE" : `${where} AND`} ${accounts} ${column} {among}{list}{end}
      GROUP BY day, ${column} ORDER BY day LIMIT ?`,
  );
}
