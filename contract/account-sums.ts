import Type, { type Static } from "typebox";
import { Currency, closed, Micro, orNull, Timestamp } from "./common.ts";

/** `GET /accounts/sums`: all accounts together, for the head of their list. */
export const AccountSums = Type.Object({
  object: Type.Literal("account_sums"),
  accounts: Type.Integer(),
  disabled: Type.Integer(),
  /** The sum of the spendable balances. */
  balance_micro: Micro,
  /** Held for running requests. */
  held_micro: Micro,
  /** The charges of the current UTC month, as far as requests are counted (docs/design/reports.md): some seconds ago. */
  month_micro: Micro,
  /** Null before the first count. */
  counted_until: orNull(Timestamp),
  currency: Currency,
});
export type AccountSums = Static<typeof AccountSums>;

/** The most accounts of one call. */
export const MOST_USES = 100;

export const AccountUsesQuery = closed({
  accounts: Type.String({
    pattern: `^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,${MOST_USES - 1}}$`,
    description: `1 to ${MOST_USES} account ids, with commas between them`,
  }),
});
export type AccountUsesQuery = Static<typeof AccountUsesQuery>;

/** `GET /accounts/uses`: the figures that the list of accounts shows beside the accounts. Unknown ids are left out. */
export const AccountUses = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(
    Type.Object({
      account: Type.String(),
      /** The charges of the current UTC month. */
      month_micro: Micro,
      /** The playground's keys are not among them. */
      active_keys: Type.Integer(),
    }),
  ),
});
export type AccountUses = Static<typeof AccountUses>;
