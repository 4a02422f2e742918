import Type, { type Static } from "typebox";
import { AccountName, closed, Currency, Day, listOf, Micro } from "./common.ts";
import { BudgetWindow } from "./keys.ts";

/** Members see their own account; administrators name one, or get their own. */
export const BudgetsQuery = closed({ account: Type.Optional(AccountName) });
export type BudgetsQuery = Static<typeof BudgetsQuery>;

/** How much of a key's budget is used in the window that runs now. */
export const KeyBudget = Type.Object({
  key: Type.String(),
  window: BudgetWindow,
  /** The first UTC day of the window. */
  since: Day,
  amount_micro: Micro,
  /** Charged in the window. */
  spent_micro: Micro,
  /** Held for running requests: counts against the budget until they end. */
  held_micro: Micro,
  /** What may still be held; never below zero. */
  remaining_micro: Micro,
});
export type KeyBudget = Static<typeof KeyBudget>;

/** `GET /budgets`: the budgets of an account's keys; keys without one are not in it. */
export const BudgetList = Type.Object({ ...listOf(KeyBudget).properties, currency: Currency });
export type BudgetList = Static<typeof BudgetList>;
