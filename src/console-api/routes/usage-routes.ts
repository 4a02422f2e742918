import { RebuildUsage, type RebuiltUsage } from "../../../contract/books.ts";
import { type TagNames, TagNamesQuery } from "../../../contract/tags.ts";
import { UsageQuery, type UsageReport, type UsageTotals } from "../../../contract/usage.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import { UNIT_COUNTS } from "../../core/money/price-classes.ts";
import { showTotals } from "../../ledger/account-objects.ts";
import { projectAsked } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccount, requireAccounts } from "../answer/scope.ts";
import { tagAsked } from "../read/read-tags.ts";
import { requireDay } from "../read/read-time.ts";
import { csvAnswer } from "../show/csv-file.ts";

export const usageRoutes = [
  route("GET /usage", "member", { query: UsageQuery, handle: answerUsage }),
  route("GET /tags", "member", { query: TagNamesQuery, show: listTagNames }),
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
  return call.query.format === "csv" ? download(report) : { status: 200, body: report };
}

/** The rows as a CSV file. The cost has two columns: the currency's unit for people, micro units for programs. */
function download({ by, tag, currency, data }: UsageReport): ConsoleAnswer {
  const rows = data.map((row) => [
    ...[row.group, row.request_count, row.success_count],
    ...[row.prompt_tokens, row.completion_tokens, row.total_tokens],
    ...[formatAmount(micro(row.cost_micro)), row.cost_micro, currency],
    ...UNIT_COUNTS.map((name) => row.units?.[name] ?? 0),
  ]);
  const counts = ["requests", "successes", "prompt_tokens", "completion_tokens", "total_tokens"];
  return csvAnswer(`usage-${by}`, [
    [by === "tag" ? `tag:${tag}` : by, ...counts, "cost", "cost_micro", "currency", ...UNIT_COUNTS],
    ...rows,
  ]);
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

async function listTagNames(call: ConsoleCall<unknown, TagNamesQuery>): Promise<TagNames> {
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
