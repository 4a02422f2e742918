import type { BudgetWindow } from "../../core/people/principal.ts";
import type { Value } from "./statement.ts";
import { toInt } from "./values.ts";

/** The columns of a budget's window: one that never renews is `month` with a mark, as the tables' checks know no other. */
interface WindowRow {
  readonly budget_window: BudgetWindow | null;
  readonly budget_once: unknown;
}

export function budgetWindow({ budget_window, budget_once }: WindowRow): BudgetWindow | null {
  return budget_window !== null && toInt(budget_once) === 1 ? "once" : budget_window;
}

export function windowValues(window: BudgetWindow | null): Value[] {
  return window === "once" ? ["month", 1] : [window, 0];
}
