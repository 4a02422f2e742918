import { type Micro, max, subtract, ZERO } from "../core/money.ts";

/** How much of a budget its window has used: charges so far, and open holds, which may still become charges. */
export interface BudgetSpending {
  readonly spent_micro: Micro;
  readonly held_micro: Micro;
}

/** The amount that may still be held under a budget; 0 when the budget is used up, or was lowered below its use. */
export function remainingBudget(amount_micro: Micro, { spent_micro, held_micro }: BudgetSpending): Micro {
  return max(ZERO, subtract(subtract(amount_micro, spent_micro), held_micro));
}
