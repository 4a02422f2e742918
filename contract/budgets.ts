import Type, { type Static } from "typebox";
import { AccountName, closed, Currency, Day, listOf, Micro } from "./common.ts";
import { BudgetWindow } from "./keys.ts";

/** Members see their own account; administrators name an account, or see their own. */
export const BudgetsQuery = closed({ account: Type.Optional(AccountName) });
export type BudgetsQuery = Static<typeof BudgetsQuery>;

/** How much of a key's budget is used in the current window. */
export const KeyBudget = Type.Object({
  key: Type.String(),
  window: BudgetWindow,
  /** The first UTC day of the window. */
  since: Day,
  amount_micro: Micro,
  /** The charges of the window. */
  spent_micro: Micro,
  /** The holds of running requests, which count against the budget until the requests end. */
  held_micro: Micro,
  /** The amount that new requests may still hold; never below zero. */
  remaining_micro: Micro,
});
export type KeyBudget = Static<typeof KeyBudget>;

/** `GET /budgets`: the budgets of an account's keys; keys without a budget are left out. */
export const BudgetList = Type.Object({ ...listOf(KeyBudget).properties, currency: Currency });
export type BudgetList = Static<typeof BudgetList>;
