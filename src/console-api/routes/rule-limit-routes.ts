import type { ModelLimitUses } from "../../../contract/budgets.ts";
import {
  AccountTagValuesQuery,
  SetAccountTagValue,
  SetTagValue,
  type TagLimitsOfAccount,
  type TagValue,
  type TagValueList,
  TagValuesQuery,
} from "../../../contract/tag-limits.ts";
import { micro, ZERO } from "../../core/money/money.ts";
import type { ModelLimit, OwnLimits, TagLimit } from "../../core/people/principal.ts";
import type { TagValueUse } from "../../core/people/tag-value-uses.ts";
import { modelRule } from "../../limits/applied-rules.ts";
import { tagRule } from "../../limits/tag-rules.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireKey, requireProject } from "../answer/scope.ts";
import { readTagValue } from "../read/read-limits.ts";
import { showModelLimit, showOwnLimits, showTagLimit, showTime, showUse } from "../show/show.ts";

/** Limits by model of a key, a project, or an account and the gateway, with their use (docs/rulings.md 177). */
export const modelLimitRoutes = [
  route("GET /keys/{key}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, model_limits } = await requireKey(call);
      return await usesOf(call, account_id, limitsOf(id, model_limits));
    },
  }),
  route("GET /projects/{project}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, limits } = await requireProject(call);
      return await usesOf(call, account_id, limitsOf(id, limits.model_limits));
    },
  }),
  route("GET /accounts/{account}/model-limits", "member", {
    show: async (call) => {
      const { id, limits } = await requireAccount(call);
      const of_gateway = limitsOf("gateway", call.deps.configuration.limits.models);
      return await usesOf(call, id, [...limitsOf("account", limits?.model_limits), ...of_gateway]);
    },
  }),
];

interface HeldModelLimit {
  readonly holder: string;
  readonly limit: ModelLimit;
}

function limitsOf(holder: string, model_limits: readonly ModelLimit[] | null | undefined): HeldModelLimit[] {
  return (model_limits ?? []).map((limit) => ({ holder, limit }));
}

async function usesOf(
  { deps }: ConsoleCall,
  account_id: string,
  held: readonly HeldModelLimit[],
): Promise<ModelLimitUses> {
  const asked = held.map(({ holder, limit }) => ({ rule: modelRule(holder, limit.models), budget: limit.budget }));
  const uses = await deps.accounts.ruleUses(account_id, asked);
  const data = held.map(({ holder, limit }, at) => {
    const { open_count: in_flight = 0, use = null } = uses[at] ?? {};
    return { holder, ...showModelLimit(limit), in_flight, use: use && showUse(use) };
  });
  return { object: "list", data, currency: deps.configuration.currency };
}

/** Limits by tag with the use of their values, and limits of single values (docs/rulings.md 176). */
export const tagLimitRoutes = [
  route("GET /accounts/{account}/tag-limits", "member", { show: listLimits }),
  route("GET /accounts/{account}/tags/{tag}/values", "member", {
    query: AccountTagValuesQuery,
    show: async (call) => await listValues(call, await ofAccount(call, call.query.of)),
  }),
  route("PUT /accounts/{account}/tags/{tag}/values", "administrator", {
    audit: "account.tag_value",
    body: SetAccountTagValue,
    show: async (call) => await setValue(call, await ofAccount(call, call.body.of)),
  }),
  route("GET /projects/{project}/tags/{tag}/values", "member", {
    query: TagValuesQuery,
    show: async (call) => await listValues(call, await ofProject(call)),
  }),
  route("PUT /projects/{project}/tags/{tag}/values", "member", {
    audit: "project.tag_value",
    body: SetTagValue,
    show: async (call) => await setValue(call, await ofProject(call)),
  }),
];

/** The limit by tag that a call is about. */
interface ReachedTagLimit {
  readonly account_id: string;
  readonly rule: string;
  readonly limit: TagLimit;
  readonly values?: ReadonlyMap<string, OwnLimits>;
}

const MOST_PROJECTS = 1000;
const DEFAULT_LIMIT = 50;

async function listLimits(call: ConsoleCall): Promise<TagLimitsOfAccount> {
  const { id, limits } = await requireAccount(call);
  const { accounts, configuration } = call.deps;
  const projects = await accounts.listProjects(id, { limit: MOST_PROJECTS });
  const found = [
    ...(limits?.tag_limits ?? []).map((limit) => ({ holder: "account", project: null, limit })),
    ...projects.flatMap((project) =>
      (project.limits.tag_limits ?? []).map((limit) => ({ holder: project.id, project: project.name, limit })),
    ),
    ...(configuration.limits.tags ?? []).map((limit) => ({ holder: "gateway", project: null, limit })),
  ];
  const data: TagLimitsOfAccount["data"] = [];
  for (const { holder, project, limit } of found) {
    const value_count = await accounts.countTagValues(id, tagRule(holder, limit.tag), "");
    data.push({ holder, project, ...showTagLimit(limit), value_count });
  }
  return { object: "list", data };
}

async function ofAccount(call: ConsoleCall, of: "account" | "gateway" = "account"): Promise<ReachedTagLimit> {
  const { id, limits } = await requireAccount(call);
  const tag = call.params.tag ?? "";
  if (of === "account") return reached(id, of, limits?.tag_limits, tag);
  const found = call.deps.configuration.limits.tags;
  const values = found?.find((limit) => limit.tag === tag)?.values;
  return { ...reached(id, of, found, tag), ...(values !== undefined && { values }) };
}

async function ofProject(call: ConsoleCall): Promise<ReachedTagLimit> {
  const { id, account_id, limits } = await requireProject(call);
  return reached(account_id, id, limits.tag_limits, call.params.tag ?? "");
}

function reached(
  account_id: string,
  holder: string,
  limits: readonly TagLimit[] | null | undefined,
  tag: string,
): ReachedTagLimit {
  const limit = limits?.find((each) => each.tag === tag);
  if (limit === undefined) throw notFound("limit by tag", tag);
  return { account_id, rule: tagRule(holder, tag), limit };
}

async function listValues(
  { deps, query }: ConsoleCall<unknown, TagValuesQuery>,
  its: ReachedTagLimit,
): Promise<TagValueList> {
  const { value, prefix = "", limit: asked, before } = query;
  const of = queryOf(its);
  const answer = { object: "list", limit: showTagLimit(its.limit), currency: deps.configuration.currency } as const;
  if (value !== undefined) {
    const found = await deps.accounts.tagValue(of, value);
    const data = [showValue(its, found ?? unused(its, value))];
    return { ...answer, data, value_count: 1, has_more: false, next_before: null };
  }
  const limit = asked === undefined ? DEFAULT_LIMIT : Number(asked);
  const place = before === undefined ? {} : { after: readPlace(before) };
  const found = await deps.accounts.tagValues({ ...of, prefix, limit: limit + 1, ...place });
  const shown = found.slice(0, limit);
  const has_more = found.length > limit;
  const last = shown.at(-1);
  return {
    ...answer,
    data: shown.map((each) => showValue(its, each)),
    value_count: await deps.accounts.countTagValues(its.account_id, its.rule, prefix),
    has_more,
    next_before: has_more && last !== undefined ? `${last.spent_micro}:${last.value}` : null,
  };
}

function queryOf({ account_id, rule, limit, values }: ReachedTagLimit) {
  return { account_id, rule, budget: limit.budget, ...(values !== undefined && { values }) };
}

function readPlace(before: string): Pick<TagValueUse, "spent_micro" | "value"> {
  const at = before.indexOf(":");
  return { spent_micro: micro(BigInt(before.slice(0, at))), value: before.slice(at + 1) };
}

/** A value that no request has named. */
function unused({ rule }: ReachedTagLimit, value: string): TagValueUse {
  return { rule, value, open_count: 0, use: null, own: null, used_ms: 0, spent_micro: ZERO };
}

async function setValue({ deps, body }: ConsoleCall<SetTagValue>, its: ReachedTagLimit): Promise<TagValue> {
  const { value } = body;
  const own = readTagValue(body);
  if (!(await deps.accounts.setTagValue({ account_id: its.account_id, rule: its.rule, value, own })))
    throw notFound("account", its.account_id);
  return showValue(its, (await deps.accounts.tagValue(queryOf(its), value)) ?? unused(its, value));
}

function showValue(
  { limit, values }: ReachedTagLimit,
  { value, own, open_count, used_ms, use }: TagValueUse,
): TagValue {
  const its = { ...values?.get(value), ...own };
  return {
    value,
    ...showOwnLimits({ ...limit, ...its }),
    own: Object.keys(its),
    in_flight: open_count,
    last_used_at: used_ms === 0 ? null : showTime(used_ms),
    use: use && showUse(use),
  };
}
