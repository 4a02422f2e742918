import { UsageQuery, type UsageReport, type UsageTotals } from "../../../contract/usage.ts";
import { projectAsked } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";
import { tagAsked } from "../read/read-tags.ts";
import { requireDay } from "../read/read-time.ts";
import { showTotals } from "../show/show-usage.ts";

export const usageRoutes = [route("GET /usage", "member", { query: UsageQuery, show: reportUsage })];

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
  };
}
