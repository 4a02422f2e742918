import Type, { type Static } from "typebox";
import { Amount, Currency, closed, listOf, Micro, Name, Timestamp } from "./common.ts";

export const AccountStatus = Type.Enum(["active", "disabled"]);

export const Account = Type.Object({
  id: Type.String(),
  email: Type.String(),
  /** The money that can still be spent: holds of running requests are already deducted. */
  balance_micro: Micro,
  /** Held for running requests. */
  uncollected_micro: Micro,
  currency: Currency,
  name: Type.String(),
  status: AccountStatus,
  created_at: Timestamp,
});
export type Account = Static<typeof Account>;

export const AccountList = listOf(Account);
export type AccountList = Static<typeof AccountList>;

export const CreateAccount = closed({
  email: Type.String({
    pattern: "^[^\\s@]+@[^\\s@]+$",
    maxLength: 254,
    description: "an e-mail address",
  }),
  name: Type.Optional(Name),
  /** Booked as the account's first credit. */
  credit: Type.Optional(Amount),
});
export type CreateAccount = Static<typeof CreateAccount>;
