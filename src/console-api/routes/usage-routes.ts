import { RebuildUsage, type RebuiltUsage } from "../../../contract/books.ts";
import { OfAccount } from "../../../contract/common.ts";
import type { Cell } from "../../../contract/csv.ts";
import { startOfDay } from "../../../contract/day.ts";
import type { TagNames } from "../../../contract/tags.ts";
import {
  type ExploreBy,
  ExploreQuery,
  type UsageExploration,
  UsageQuery,
  type UsageReport,
  type UsageTotals,
} from "../../../contract/usage.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { type GatewayError, invalidRequest } from "../../core/errors.ts";
import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import type { AccountStore, UsageExploration as Exploration, UsageExploreQuery } from "../../core/store/ports.ts";
import { showCacheUse, showTotals } from "../../ledger/account-objects.ts";
import { projectAsked } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccount, requireAccounts } from "../answer/scope.ts";
import { tagAsked } from "../read/read-tags.ts";
import { requireDay } from "../read/read-time.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { amount } from "../show/file-rows.ts";
import { showExploration } from "../show/show-usage.ts";

export const usageRoutes = [
  route("GET /usage", "member", { query: UsageQuery, handle: answerUsage }),
  route("GET /usage/explore", "member", { query: ExploreQuery, handle: explore }),
  route("GET /tags", "member", { query: OfAccount, show: listTagNames }),
  route("POST /books/rebuild-usage", "administrator", {
    audit: {
      action: "books.rebuild-usage",
      describe: ({ body }, { body: answer }) => {
        const { accounts, changed } = answer as RebuiltUsage;
        const after = { accounts, changed: changed.length, first: changed.slice(0, 20) };
        return { object: { kind: "books", id: body.account ?? null }, after };
      },
    },
    body: RebuildUsage,
    show: rebuild,
  }),
];

async function answerUsage(call: ConsoleCall<unknown, UsageQuery>): Promise<ConsoleAnswer> {
  const report = await reportUsage(call);
  return call.query.format === "csv" ? downloadReport(report) : { status: 200, body: report };
}

/** The rows as a CSV file. The cost has two columns: the currency's unit for people, micro units for programs. */
function downloadReport({ by, tag, currency, data }: UsageReport): ConsoleAnswer {
  const rows = data.map((row) => [row.group, ...totalCells(row, currency)]);
  return csvAnswer(`usage-${by}`, [[by === "tag" ? `tag:${tag}` : by, ...TOTAL_COLUMNS], ...rows]);
}

const TOTAL_COLUMNS = [
  ...["requests", "successes", "prompt_tokens", "completion_tokens", "total_tokens", "cost", "cost_micro", "currency"],
  ...UNIT_COUNTS,
];

function totalCells(row: UsageTotals, currency: string): Cell[] {
  return [
    ...[row.request_count, row.success_count, row.prompt_tokens, row.completion_tokens, row.total_tokens],
    ...[...amount(row.cost_micro), currency],
    ...UNIT_COUNTS.map((name) => row.units?.[name] ?? 0),
  ];
}

async function reportUsage(call: ConsoleCall<unknown, UsageQuery>): Promise<UsageReport> {
  const { account, project, since = null, until = null, by = "day" } = call.query;
  requireDay(since, "since");
  requireDay(until, "until");
  const of_tag = tagAsked(by, call.query);
  const account_id = await requireAccounts(call, account);
  const rows = await call.deps.accounts.usageReport({
    ...{ account_id, since, until, by },
    ...(project === undefined ? {} : { project_id: projectAsked(project) }),
    ...of_tag,
  });
  const data = rows.map((row) => ({ group: row.group, ...showTotals(row) }));
  return {
    object: "list",
    by,
    tag: of_tag.tag ?? null,
    value: of_tag.tag_value ?? null,
    since,
    until,
    currency: call.deps.configuration.currency,
    data,
    total: data.reduce<UsageTotals>(addTotals, NOTHING),
  };
}

const NOTHING: UsageTotals = {
  cost_micro: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  request_count: 0,
  success_count: 0,
};

/** Adds as floats, which is exact: the sums are whole numbers far below 2⁵³. */
function addTotals(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    cost_micro: a.cost_micro + b.cost_micro,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    request_count: a.request_count + b.request_count,
    success_count: a.success_count + b.success_count,
    ...addUnits(a.units, b.units),
  };
}

function addUnits(a: UsageTotals["units"] = {}, b: UsageTotals["units"] = {}): Pick<UsageTotals, "units"> {
  const used = UNIT_COUNTS.filter((name) => a[name] !== undefined || b[name] !== undefined);
  if (used.length === 0) return {};
  return { units: Object.fromEntries(used.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])) };
}

const MOST_NAMES = 500;

async function listTagNames(call: ConsoleCall<unknown, OfAccount>): Promise<TagNames> {
  const account_id = await requireAccounts(call, call.query.account);
  return { object: "list", data: [...(await call.deps.accounts.listTagNames(account_id, MOST_NAMES))] };
}

/** How long one call rebuilds: clients give up after 30 s. */
const REBUILD_FOR_MS = 10_000;

async function rebuild(call: ConsoleCall<RebuildUsage>): Promise<RebuiltUsage> {
  const { account, after = null } = call.body;
  const account_id = account === undefined ? null : (await requireAccount(call, account)).id;
  const part = await call.deps.administration.store.rebuildUsage({ account_id, after, for_ms: REBUILD_FOR_MS });
  return {
    accounts: part.accounts,
    changed: part.changed.map(({ account_id: of, key_id: key, ...rest }) => ({ account: of, key, ...rest })),
    next: part.next,
  };
}

const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;
/** The most rows of a CSV file: a longer file does not fit in one answer. */
const MOST_ROWS = 50_000;

const GROUPINGS = {
  key: { by_day: false, group: "key", top: 100 },
  model: { by_day: false, group: "model", top: 100 },
  project: { by_day: false, group: "project", top: 100 },
  tag: { by_day: false, group: "tag", top: 100 },
  day: { by_day: true, group: null, top: 100 },
  "day,key": { by_day: true, group: "key", top: 20 },
  "day,model": { by_day: true, group: "model", top: 20 },
  "day,project": { by_day: true, group: "project", top: 20 },
  "day,tag": { by_day: true, group: "tag", top: 20 },
} as const satisfies Record<ExploreBy, unknown>;

async function explore(call: ConsoleCall<unknown, ExploreQuery>): Promise<ConsoleAnswer> {
  const { account, by = "day", key, model, project, top, format = "json" } = call.query;
  const { accounts, cached, configuration } = call.deps;
  const range = readRange(call.query, call.deps.clock.now_ms());
  const { top: usual_top, ...grouping } = GROUPINGS[by];
  const of_tag = tagAsked(by, call.query);
  const account_id = await requireAccounts(call, account);
  const found = await accounts.exploreUsage({
    account_id,
    ...range,
    ...grouping,
    ...of_tag,
    ...(key === undefined ? {} : { key_id: key }),
    ...(model === undefined ? {} : { model }),
    ...(project === undefined ? {} : { project_id: projectAsked(project) }),
    top: top === undefined ? (format === "csv" ? null : usual_top) : Number(top),
    limit: MOST_ROWS + 1,
  });
  if (found.rows.length > MOST_ROWS) throw tooLong();
  const names = await namesOf(accounts, grouping.group, found);
  const shown = showExploration(found, { by, ...of_tag, ...range, currency: configuration.currency, names });
  if (format === "csv") return downloadExploration(shown);
  // Hours are counted by account alone (docs/rulings.md 183).
  const is_whole = [key, model, project, of_tag.tag_value].every((part) => part === undefined);
  const sums = is_whole && (await cached.cacheSums(account_id, dayMs(range.since), dayMs(range.until) + MS_PER_DAY));
  return { status: 200, body: { ...shown, ...(sums && showCacheUse(sums)) } satisfies UsageExploration };
}

async function namesOf(
  accounts: Pick<AccountStore, "labelKeys" | "labelProjects">,
  group: UsageExploreQuery["group"],
  { groups }: Exploration,
): Promise<ReadonlyMap<string, string>> {
  const ids = groups.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length === 0 || group === null || group === "model" || group === "tag") return new Map();
  const labels = group === "key" ? await accounts.labelKeys(ids) : await accounts.labelProjects(ids);
  return new Map(labels.map(({ id, name }) => [id, name]));
}

/** Whole UTC days, both inclusive. Throws a 400 for a range that ends before it begins or is too long to be drawn. */
function readRange({ since, until }: ExploreQuery, now_ms: number): { since: string; until: string } {
  requireDay(since ?? null, "since");
  requireDay(until ?? null, "until");
  const last = until ?? dayAt(now_ms);
  const last_ms = dayMs(last);
  const first = since ?? dayAt(last_ms - (DEFAULT_DAYS - 1) * MS_PER_DAY);
  const days = (last_ms - dayMs(first)) / MS_PER_DAY + 1;
  if (days >= 1 && days <= MOST_DAYS) return { since: first, until: last };
  const found = days < 1 ? `is after ${last}` : `is ${days} days up to ${last}`;
  throw invalidRequest(`'since' (${first}) ${found}; allowed: 1 to ${MOST_DAYS} days.`, "since");
}

function dayMs(day: string): number {
  return startOfDay(day) ?? 0;
}

function dayAt(time_ms: number): string {
  return new Date(time_ms).toISOString().slice(0, 10);
}

function tooLong(): GatewayError {
  const message = `The report has more than ${MOST_ROWS} rows; ask for fewer days, for one key or model, or for the 'top' ones.`;
  return invalidRequest(message, "since");
}

function isNamed(dimension: string): boolean {
  return dimension === "key" || dimension === "project";
}

/** The rows as a CSV file. Each cost has two columns: the currency's unit for people, micro units for programs. */
function downloadExploration(report: UsageExploration): ConsoleAnswer {
  const { by, tag, since, until, currency, data } = report;
  const dimensions = by.split(",");
  const names = new Map(report.groups.map(({ id, name }) => [id, name]));
  const header = dimensions.flatMap((name) =>
    isNamed(name) ? [name, `${name}_name`] : [name === "tag" ? `tag:${tag}` : name],
  );
  const rows = data.map((row) => {
    const group = row.others ? "(others)" : row.group;
    const cells = dimensions.flatMap((name) => {
      if (name === "day") return [row.day];
      return isNamed(name) ? [group, names.get(row.group) ?? ""] : [group];
    });
    return [...cells, ...totalCells(row, currency)];
  });
  return csvAnswer(`usage-${(tag === null ? by : `${by}-${tag}`).replace(/[,()]/g, "-")}-${since}-${until}`, [
    [...header, ...TOTAL_COLUMNS],
    ...rows,
  ]);
}
