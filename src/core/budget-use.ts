import type { BudgetRaise } from "./budget-raises.ts";
import type { Micro } from "./money.ts";
import type { BudgetWindow } from "./principal.ts";

/** How much of a budget is used in the current window. */
export interface BudgetUse {
  readonly window: BudgetWindow;
  /** The first UTC day of the window; null for a budget that never renews. */
  readonly since: string | null;
  /** The budget without its raise. */
  readonly amount_micro: Micro;
  /** The raise that holds now; null without one. */
  readonly raise: BudgetRaise | null;
  readonly spent_micro: Micro;
  readonly held_micro: Micro;
}
