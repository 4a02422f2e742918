import Type, { type Static } from "typebox";
import { Amount, Currency, closed, Day, Micro, orNull, Timestamp } from "./common.ts";

/** Administrators only: they grant the credit. */
export const SetAutoTopUp = closed({
  /** The balance is topped up when it would fall below this amount. */
  threshold: Amount,
  /** The credit of one top-up: above 0, and at least the threshold, so that one top-up is enough. */
  amount: Amount,
  /** The most that top-ups may add in a UTC month; at least `amount`. */
  month_limit: Amount,
});
export type SetAutoTopUp = Static<typeof SetAutoTopUp>;

export const AutoTopUpRule = Type.Object({
  threshold_micro: Micro,
  amount_micro: Micro,
  month_limit_micro: Micro,
  /** The first day of the current UTC month, and the sum of the top-ups in that month. */
  month_since: Day,
  month_used_micro: Micro,
  last_at: orNull(Timestamp),
  updated_at: Timestamp,
  /** The actor who set the rule: `admin-token` or a user id. */
  updated_by: Type.String(),
});
export type AutoTopUpRule = Static<typeof AutoTopUpRule>;

export const AutoTopUp = Type.Object({
  object: Type.Literal("auto_top_up"),
  account: Type.String(),
  currency: Currency,
  /** Null where the account has no rule. */
  rule: orNull(AutoTopUpRule),
});
export type AutoTopUp = Static<typeof AutoTopUp>;

/** The note of the credits that the rule books; their actor is `gateway`. */
export const AUTO_TOP_UP_NOTE = "automatic top-up";
