import Type, { type Static } from "typebox";
import { AccountName, closed, Currency, Day, listOf, Micro } from "./common.ts";
import { BudgetWindow } from "./keys.ts";

/** Members see their own account; administrators name an account, or see their own. */
export const BudgetsQuery = closed({ account: Type.Optional(AccountName) });
export type BudgetsQuery = Static<typeof BudgetsQuery>;

/** How much of a budget is used in the current window. */
export const BudgetUse = Type.Object({
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
export type BudgetUse = Static<typeof BudgetUse>;

export const KeyBudget = Type.Object({ key: Type.String(), ...BudgetUse.properties });
export type KeyBudget = Static<typeof KeyBudget>;

/** `GET /accounts/{account}/budget`: the account's own budget, over all of its keys; null where it has none. */
export const AccountBudget = Type.Object({
  object: Type.Literal("account_budget"),
  account: Type.String(),
  currency: Currency,
  use: Type.Union([BudgetUse, Type.Null()]),
});
export type AccountBudget = Static<typeof AccountBudget>;

/** `GET /budgets`: the budgets of an account's keys; keys without a budget are left out. */
export const BudgetList = Type.Object({ ...listOf(KeyBudget).properties, currency: Currency });
export type BudgetList = Static<typeof BudgetList>;
