import Type, { type Static } from "typebox";
import { AccountLimits, AccountStatus } from "./accounts.ts";
import { Currency, closed, listOf, oneOf, orNull, pageMembers, searchFields, Timestamp } from "./common.ts";
import { KeyStatus, shownRule } from "./keys.ts";

/** The limits in force: the configuration's, for every key, and those of keys and accounts with limits of their own. */

export const LimitOverride = Type.Object({
  key: Type.String(),
  key_name: Type.String(),
  /** The key's last four characters. */
  hint: Type.String(),
  status: KeyStatus,
  account: Type.String(),
  account_email: Type.String(),
  ...shownRule,
  /** The models that the key is confined to; null: all. */
  models: orNull(Type.Array(Type.String())),
  expires_at: orNull(Timestamp),
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
  /** How many keys and accounts there are in all, and with limits of their own. */
  key_count: Type.Integer(),
  limited_key_count: Type.Integer(),
  account_count: Type.Integer(),
  limited_account_count: Type.Integer(),
});
export type Limits = Static<typeof Limits>;

/** A limit that a key or an account may have of its own. */
export const OWN_LIMITS = ["rpm", "tpm", "concurrent", "budget", "models", "expires_at"] as const;
export type OwnLimit = (typeof OWN_LIMITS)[number];

/**
 * `GET /limits/keys` and `GET /limits/accounts`, always a page at a time, the newest first. Keys are found by name, id, last characters,
 * alias and by their account's e-mail.
 */
export const LimitedQuery = closed({
  ...searchFields,
  /** Only those with this limit of their own. Accounts never expire. */
  has: Type.Optional(oneOf(OWN_LIMITS)),
});
export type LimitedQuery = Static<typeof LimitedQuery>;

export const LimitedKeyList = Type.Object({ ...listOf(LimitOverride).properties, ...pageMembers });
export type LimitedKeyList = Static<typeof LimitedKeyList>;

export const LimitedAccountList = Type.Object({ ...listOf(LimitedAccount).properties, ...pageMembers });
export type LimitedAccountList = Static<typeof LimitedAccountList>;
