import type { ModelLimitUses } from "../../../contract/budgets.ts";
import type { ModelLimit } from "../../core/people/principal.ts";
import { modelRule } from "../../limits/applied-rules.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccount, requireKey, requireProject } from "../answer/scope.ts";
import { showModelLimit } from "../show/show.ts";
import { showUse } from "./budget-routes.ts";

/** Limits by model of a key, a project, or an account and the gateway, with their use (docs/rulings.md 177). */
export const modelLimitRoutes = [
  route("GET /keys/{key}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, model_limits } = await requireKey(call, call.params.key ?? "");
      return await usesOf(call, account_id, limitsOf(id, model_limits));
    },
  }),
  route("GET /projects/{project}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, limits } = await requireProject(call, call.params.project ?? "");
      return await usesOf(call, account_id, limitsOf(id, limits.model_limits));
    },
  }),
  route("GET /accounts/{account}/model-limits", "member", {
    show: async (call) => {
      const { id, limits } = await requireAccount(call, call.params.account ?? "");
      const of_gateway = limitsOf("gateway", call.deps.configuration.limits.models);
      return await usesOf(call, id, [...limitsOf("account", limits?.model_limits), ...of_gateway]);
    },
  }),
];

interface Held {
  readonly holder: string;
  readonly limit: ModelLimit;
}

function limitsOf(holder: string, model_limits: readonly ModelLimit[] | null | undefined): Held[] {
  return (model_limits ?? []).map((limit) => ({ holder, limit }));
}

async function usesOf({ deps }: ConsoleCall, account_id: string, held: readonly Held[]): Promise<ModelLimitUses> {
  const asked = held.map(({ holder, limit }) => ({ rule: modelRule(holder, limit.models), budget: limit.budget }));
  const uses = await deps.accounts.ruleUses(account_id, asked);
  const data = held.map(({ holder, limit }, at) => {
    const { open_count: in_flight = 0, use = null } = uses[at] ?? {};
    return { holder, ...showModelLimit(limit), in_flight, use: use && showUse(use) };
  });
  return { object: "list", data, currency: deps.configuration.currency };
}
