import { type BudgetList, BudgetsQuery, type BudgetUse as ShownBudgetUse } from "../../../contract/budgets.ts";
import { add, toJsonNumber, ZERO } from "../../core/money/money.ts";
import type { BudgetUse } from "../../core/people/budgets.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { viewedAccount } from "../answer/viewed-account.ts";
import { showTime } from "../show/show.ts";

export const budgetRoutes = [route("GET /budgets", "member", { query: BudgetsQuery, show: listBudgets })];

async function listBudgets(call: ConsoleCall<unknown, BudgetsQuery>): Promise<BudgetList> {
  const { accounts, configuration } = call.deps;
  const uses = await accounts.budgetUses(await viewedAccount(call, call.query.account));
  return {
    object: "list",
    data: uses.map((use) => ({ key: use.key_id, ...showUse(use) })),
    currency: configuration.currency,
  };
}

/** How much of a budget is used, and left. */
export function showUse(use: BudgetUse): ShownBudgetUse {
  return {
    window: use.window,
    since: use.since,
    renews: use.renews,
    amount_micro: toJsonNumber(use.amount_micro),
    raise: use.raise && {
      amount_micro: toJsonNumber(use.raise.amount_micro),
      until: showTime(use.raise.until_ms),
      by: use.raise.by,
    },
    spent_micro: toJsonNumber(use.spent_micro),
    held_micro: toJsonNumber(use.held_micro),
    remaining_micro: toJsonNumber(remainingBudget(add(use.amount_micro, use.raise?.amount_micro ?? ZERO), use)),
  };
}
