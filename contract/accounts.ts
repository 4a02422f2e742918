import Type, { type Static } from "typebox";
import {
  Amount,
  Currency,
  closed,
  fileField,
  listOf,
  Micro,
  Name,
  nullable,
  oneOf,
  orNull,
  pageMembers,
  searchFields,
  Timestamp,
} from "./common.ts";
import { limitFields, ShownModelLimit, shownRule } from "./keys.ts";
import { shownTagLimits, tagLimitFields } from "./tag-limits.ts";

export const AccountStatus = Type.Enum(["active", "disabled"]);

/** Limits over all keys of an account, which administrators set. Null: not limited. */
export const AccountLimits = Type.Object({
  models: orNull(Type.Array(Type.String())),
  ...shownRule,
  /** Limits by model; absent: none. */
  model_limits: Type.Optional(Type.Array(ShownModelLimit)),
  ...shownTagLimits,
});
export type AccountLimits = Static<typeof AccountLimits>;

const AccountEmail = Type.String({
  pattern: "^[^\\s@]+@[^\\s@]+$",
  maxLength: 254,
  description: "an e-mail address",
});

const TimeZoneName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "an IANA name of a time zone such as UTC or Europe/Berlin",
});

/** A change of an account's names or limits: a member that is left out stays. */
export const UpdateAccount = closed({
  ...limitFields,
  ...tagLimitFields,
  name: Type.Optional(Name),
  email: Type.Optional(AccountEmail),
  /** The zone of the days on which the budgets of the account, its projects and its keys renew. Null: UTC. */
  time_zone: Type.Optional(nullable(TimeZoneName)),
});
export type UpdateAccount = Static<typeof UpdateAccount>;

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
  limits: AccountLimits,
  /** The IANA name of the zone of its days. */
  time_zone: Type.String(),
});
export type Account = Static<typeof Account>;

export const AccountsQuery = closed({
  ...searchFields,
  ...fileField,
  status: Type.Optional(oneOf(["active", "disabled"])),
});
export type AccountsQuery = Static<typeof AccountsQuery>;

export const AccountList = Type.Object({ ...listOf(Account).properties, ...pageMembers });
export type AccountList = Static<typeof AccountList>;

export const CreateAccount = closed({
  email: AccountEmail,
  name: Type.Optional(Name),
  /** Booked as the account's first credit. */
  credit: Type.Optional(Amount),
});
export type CreateAccount = Static<typeof CreateAccount>;
