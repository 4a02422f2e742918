import type { KeyBudgetUse } from "../../core/people/budgets.ts";
import type { BudgetWindow } from "../../core/people/principal.ts";
import { dayOf, sinceOf, windowStart } from "../../limits/windows.ts";
import { budgetWindow } from "../sql/budget-window.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { RAISE_COLUMNS, type RaiseRow, runningRaise } from "./raises.ts";

/** Adds up the rows of days, as an admission does that finds no kept sum (batch/load-working-set.ts). */
const selectBudgets = sql(
  `SELECT k.id, k.budget_micro, k.budget_window, k.budget_once, ${RAISE_COLUMNS.map((name) => `k.${name}`).join(", ")}, s.held_micro, CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_days AS u
      WHERE u.account_id = k.account_id AND u.key_id = k.id AND u.day >= CASE CASE k.budget_once WHEN 1 THEN 'once' ELSE k.budget_window END WHEN 'once' THEN 0
        WHEN 'day' THEN CAST(? AS BIGINT) WHEN 'week' THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END), 0) AS BIGINT) AS spent_micro
    FROM keys AS k JOIN key_state AS s ON s.key_id = k.id
    WHERE k.account_id = ? AND k.deleted_ms IS NULL AND k.budget_micro IS NOT NULL ORDER BY k.created_ms, k.id`,
);

interface BudgetRow extends RaiseRow {
  readonly id: string;
  readonly budget_micro: unknown;
  readonly budget_window: BudgetWindow;
  readonly budget_once: unknown;
  readonly held_micro: unknown;
  readonly spent_micro: unknown;
}

/** The use of each key's budget in its current window (docs/api.md 4.8) (docs/rulings.md 122). */
export function* budgetUses(account_id: string): Work<KeyBudgetUse[]> {
  const now = yield* now_ms();
  const today = dayOf(now);
  const starts = { day: today, week: windowStart("week", today), month: windowStart("month", today), once: 0 };
  const found = yield* rows<BudgetRow>(selectBudgets, [starts.day, starts.week, starts.month, account_id]);
  return found.map((budget) => {
    const window = budgetWindow(budget) ?? "month";
    return {
      key_id: budget.id,
      window,
      since: sinceOf(window, starts[window]),
      amount_micro: toMicro(budget.budget_micro),
      raise: runningRaise(budget, now),
      spent_micro: toMicro(budget.spent_micro),
      held_micro: toMicro(budget.held_micro),
    };
  });
}
