import Type, { type Static } from "typebox";
import { Amount, Currency, closed, Day, FutureTime, listOf, Micro, nullable, orNull, Timestamp } from "./common.ts";
import { BudgetWindow, ShownModelLimit } from "./keys.ts";

/** How much of a budget is used in the current window. */
export const BudgetUse = Type.Object({
  window: BudgetWindow,
  /** The first day of the window in the account's time zone; null for a budget that never renews (`once`): all that was ever charged counts. */
  since: orNull(Day),
  /** When the window renews, with the offset of the account's time zone, and that one's IANA name; null: never. */
  renews: orNull(Type.Object({ at: Type.String(), time_zone: Type.String() })),
  /** The budget without its raise. */
  amount_micro: Micro,
  /** The raise that holds now, which ends by itself; null without one. `by`: a user's id, a management key's, or `admin-token`. */
  raise: orNull(Type.Object({ amount_micro: Micro, until: Timestamp, by: Type.String() })),
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
  use: orNull(BudgetUse),
});
export type AccountBudget = Static<typeof AccountBudget>;

/** `GET /keys/{key}/model-limits` and its like: limits by model, with their use. An account's list ends with those of the gateway. */
export const ModelLimitUse = Type.Object({
  /** Whose limit it is: a key's or a project's by its id, the `account`'s, or the `gateway`'s, which counts for each account apart. */
  holder: Type.String(),
  ...ShownModelLimit.properties,
  /** Requests in flight. */
  in_flight: Type.Integer(),
  /** How much of its budget is used; null without a budget. */
  use: orNull(BudgetUse),
});
export type ModelLimitUse = Static<typeof ModelLimitUse>;
export const ModelLimitUses = Type.Object({ ...listOf(ModelLimitUse).properties, currency: Currency });
export type ModelLimitUses = Static<typeof ModelLimitUses>;

/** `GET /budgets`: the budgets of an account's keys; keys without a budget are left out. */
export const BudgetList = Type.Object({ ...listOf(KeyBudget).properties, currency: Currency });
export type BudgetList = Static<typeof BudgetList>;

/** `PUT /keys/{key}/raise` and its like: raises a budget for a while, in place of an earlier raise; null ends the raise. */
export const RaiseBudget = closed({
  raise: nullable(
    closed({
      amount: Amount,
      until: FutureTime,
    }),
  ),
});
export type RaiseBudget = Static<typeof RaiseBudget>;

export const RaisedBudget = Type.Object({ object: Type.Literal("budget"), use: BudgetUse, currency: Currency });
export type RaisedBudget = Static<typeof RaisedBudget>;
