import type { ModelLimitUses } from "../../../contract/budgets.ts";
import type { ModelLimit } from "../../core/people/principal.ts";
import { modelRule } from "../../limits/applied-rules.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccount, requireKey, requireProject } from "../answer/scope.ts";
import { showModelLimit } from "../show/show.ts";
import { showUse } from "./budget-routes.ts";

/** Limits by model of a key, a project or an account, with their use (docs/rulings.md 177). */
export const modelLimitRoutes = [
  route("GET /keys/{key}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, model_limits } = await requireKey(call, call.params.key ?? "");
      return await usesOf(call, account_id, id, model_limits);
    },
  }),
  route("GET /projects/{project}/model-limits", "member", {
    show: async (call) => {
      const { id, account_id, limits } = await requireProject(call, call.params.project ?? "");
      return await usesOf(call, account_id, id, limits.model_limits);
    },
  }),
  route("GET /accounts/{account}/model-limits", "member", {
    show: async (call) => {
      const { id, limits } = await requireAccount(call, call.params.account ?? "");
      return await usesOf(call, id, "account", limits?.model_limits);
    },
  }),
];

async function usesOf(
  { deps }: ConsoleCall,
  account_id: string,
  holder: string,
  model_limits: readonly ModelLimit[] | null | undefined,
): Promise<ModelLimitUses> {
  const limits = model_limits ?? [];
  const asked = limits.map(({ models, budget }) => ({ rule: modelRule(holder, models), budget }));
  const uses = await deps.accounts.ruleUses(account_id, asked);
  const data = limits.map((limit, at) => {
    const { open_count: in_flight = 0, use = null } = uses[at] ?? {};
    return { ...showModelLimit(limit), in_flight, use: use && showUse(use) };
  });
  return { object: "list", data, currency: deps.configuration.currency };
}
