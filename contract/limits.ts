import Type, { type Static } from "typebox";
import { Currency, Micro, Timestamp } from "./common.ts";
import { AccountLimits, AccountStatus } from "./accounts.ts";
import { BudgetWindow, KeyStatus } from "./keys.ts";

/** The limits in force: the configuration's, for every key, and those of keys and accounts with limits of their own. */

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

export const LimitOverride = Type.Object({
  key: Type.String(),
  key_name: Type.String(),
  /** The key's last four characters. */
  hint: Type.String(),
  status: KeyStatus,
  account: Type.String(),
  account_email: Type.String(),
  /** Requests a minute; null: the default. */
  rpm: nullableInteger,
  /** Tokens a minute; null: unlimited. */
  tpm: nullableInteger,
  /** Requests in flight; null: the default. */
  concurrent: nullableInteger,
  budget: Type.Union([Type.Object({ amount_micro: Micro, window: BudgetWindow }), Type.Null()]),
  /** The models that the key is confined to; null: all. */
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  expires_at: Type.Union([Timestamp, Type.Null()]),
});
export type LimitOverride = Static<typeof LimitOverride>;

/** The limits that an administrator has set over all keys of an account. */
export const LimitedAccount = Type.Object({
  account: Type.String(),
  email: Type.String(),
  name: Type.String(),
  status: AccountStatus,
  limits: AccountLimits,
});
export type LimitedAccount = Static<typeof LimitedAccount>;

export const Limits = Type.Object({
  currency: Currency,
  /** The limits of a key that sets none of its own. Tokens a minute have no default. */
  default_key: Type.Object({ rpm: Type.Integer(), concurrent: Type.Integer(), tpm: Type.Null() }),
  /** The largest request body, in bytes. */
  body_bytes: Type.Integer(),
  /** How long a request's body may stand still, and how long it may take in all. */
  body_stall_ms: Type.Integer(),
  body_total_ms: Type.Integer(),
  /** How many keys there are in all. */
  key_count: Type.Integer(),
  overrides: Type.Array(LimitOverride),
  /** How many accounts there are in all. */
  account_count: Type.Integer(),
  accounts: Type.Array(LimitedAccount),
});
export type Limits = Static<typeof Limits>;
