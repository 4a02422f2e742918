import type { Micro } from "../../core/money/money.ts";
import type { BudgetUse, KeyBudgetUse } from "../../core/people/budgets.ts";
import type { Budget, BudgetWindow } from "../../core/people/principal.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { renewalOf, sinceOf, windowStart } from "../../limits/windows.ts";
import { budgetWindow } from "../sql/budget-window.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, int, type RawRow, text, word } from "../sql/columns.ts";
import { type KeptSumRow, type Spender, spentInWindow } from "../sql/spent-since.ts";
import { sql } from "../sql/statement.ts";
import { toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { RAISE_COLUMNS, type RaiseRow, runningRaise } from "./raises.ts";

/** Now, and the day that it is in an account's time zone (null: UTC). */
export interface Calendar {
  readonly time_zone: string | null;
  readonly day: number;
  readonly now_ms: number;
}

export function calendarOf(time_zone: string | null, now_ms: number): Calendar {
  return { time_zone, day: timeZoneOf(time_zone).dayAt(now_ms), now_ms };
}

/** How much of a budget is used, by what its holder's row keeps of it. */
export function* budgetUseOf(
  kept: KeptSumRow & RaiseRow,
  spender: Spender,
  budget: Budget,
  { held_micro, ...calendar }: Calendar & { readonly held_micro: Micro },
): Work<BudgetUse> {
  return {
    ...runningWindow(budget, calendar),
    raise: runningRaise(kept, calendar.now_ms),
    spent_micro: yield* spentInWindow(kept, spender, budget.window, calendar),
    held_micro,
  };
}

/** A budget with the window that runs now. */
export function runningWindow({ window, amount_micro }: Budget, { time_zone, day, now_ms }: Calendar) {
  const renewal = renewalOf(window, timeZoneOf(time_zone), now_ms);
  return {
    window,
    since: sinceOf(window, windowStart(window, day)),
    renews: renewal && { at: renewal.at, time_zone: renewal.time_zone },
    amount_micro,
  };
}

const BUDGET = { id: text, budget_micro: amount, budget_window: word<BudgetWindow>(), budget_once: int } as const;
const selectBudgets = sql(
  `SELECT ${columnsOf(BUDGET, "k")}, ${RAISE_COLUMNS.map((name) => `k.${name}`).join(", ")},
      s.held_micro, s.spent_window, s.spent_start_day, s.spent_micro, a.time_zone
    FROM keys AS k JOIN key_state AS s ON s.key_id = k.id JOIN accounts AS a ON a.id = k.account_id
    WHERE k.account_id = ? AND k.deleted_ms IS NULL AND k.budget_micro IS NOT NULL ORDER BY k.created_ms, k.id`,
);

type BudgetRow = RawRow<typeof BUDGET> &
  KeptSumRow &
  RaiseRow & { readonly held_micro: unknown; readonly time_zone: string | null };

/** The use of each key's budget in its current window (docs/api.md 4.8) (docs/rulings.md 122). */
export function* budgetUses(account_id: string): Work<KeyBudgetUse[]> {
  const now = yield* now_ms();
  const uses: KeyBudgetUse[] = [];
  for (const found of yield* rows<BudgetRow>(selectBudgets, [account_id])) {
    const { id: key_id, time_zone } = found;
    const budget = { amount_micro: toMicro(found.budget_micro), window: budgetWindow(found) ?? "month" };
    const more = { ...calendarOf(time_zone, now), held_micro: toMicro(found.held_micro) };
    uses.push({ key_id, ...(yield* budgetUseOf(found, { account_id, key_id }, budget, more)) });
  }
  return uses;
}
