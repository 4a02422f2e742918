import type { Micro } from "./money.ts";
import type { BudgetWindow } from "./principal.ts";

/** How much of a budget is used in the current window. */
export interface BudgetUse {
  readonly window: BudgetWindow;
  /** The first UTC day of the window. */
  readonly since: string;
  readonly amount_micro: Micro;
  readonly spent_micro: Micro;
  readonly held_micro: Micro;
}
