import { add, MAX_MICRO, type Micro, max, min, subtract, ZERO } from "../core/money/money.ts";

/** How much of a budget its window has used: charges so far, and open holds, which may still become charges. */
export interface BudgetSpending {
  readonly spent_micro: Micro;
  readonly held_micro: Micro;
}

/** The amount that may still be held under a budget; 0 when the budget is used up, or was lowered below its use. */
export function remainingBudget(amount_micro: Micro, { spent_micro, held_micro }: BudgetSpending): Micro {
  return max(ZERO, subtract(subtract(amount_micro, spent_micro), held_micro));
}

/** A temporary raise as its row has it; without one it ended long ago. */
export interface RaiseState {
  readonly raise_micro: Micro;
  readonly raise_until_ms: number;
}

/** A budget with its raise, where that has not ended (docs/design/tags-and-projects.md). */
export function raisedBudget(amount_micro: Micro, { raise_micro, raise_until_ms }: RaiseState, now_ms: number): Micro {
  return raise_until_ms > now_ms ? min(add(amount_micro, raise_micro), MAX_MICRO) : amount_micro;
}
