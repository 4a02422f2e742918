import type { Micro } from "../money/money.ts";
import type { KeyTags } from "./keys.ts";

export type KeyStatus = "active" | "disabled" | "revoked";
export type AccountStatus = "active" | "disabled";
/** `once`: a budget that never renews; all that was ever charged counts. */
export type BudgetWindow = "day" | "week" | "month" | "once";

export interface Alias {
  readonly name: string;
  readonly model: string;
}

export interface PrefixAlias {
  readonly prefix: string;
  readonly model: string;
}

export interface Budget {
  readonly amount_micro: Micro;
  readonly window: BudgetWindow;
}

/** What a rule allows; null: not limited. */
export interface RuleLimits {
  /** Requests a minute. */
  readonly rpm: number | null;
  /** Tokens a minute. */
  readonly tpm: number | null;
  /** Requests in flight. */
  readonly concurrent: number | null;
  readonly budget: Budget | null;
}

/** What a key, a project or an account may use of the models of a pattern, in which `*` stands for any text (docs/rulings.md 177). */
export interface ModelLimit extends RuleLimits {
  readonly models: string;
  /** An administrator has set it on a key: its members neither change it nor take it away. */
  readonly by_administrator?: true;
}

/** What each value of a tag may use, of requests of an account, of a project, or of any account (docs/rulings.md 176). */
export interface TagLimit extends RuleLimits {
  readonly tag: string;
  /** Requests without the tag are refused. */
  readonly required: boolean;
}

/** Limits that one value of a tag has in place of those that all values have; what is absent is as for all. */
export interface OwnLimits {
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrent?: number;
  readonly budget?: Budget;
}

/** A limit by tag of the whole gateway, with the limits that some values have of their own. */
export interface GatewayTagLimit extends TagLimit {
  readonly values: ReadonlyMap<string, OwnLimits>;
}

/** Limits by tag, and the tag whose value an end user's id is where a request names no other; null or absent: none. */
export interface LimitsByTag {
  readonly tag_limits?: readonly TagLimit[] | null;
  readonly end_user_tag?: string | null;
}

/** Limits of an account over all of its keys, or the limits that an administrator has set for a key. Null: not limited. */
export interface Limits extends LimitsByTag, RuleLimits {
  /** Patterns of allowed model ids (`*` matches any text). */
  readonly models: readonly string[] | null;
  /** Limits by model; absent or null: none. */
  readonly model_limits?: readonly ModelLimit[] | null;
}

export const NO_LIMITS: Limits = { models: null, rpm: null, tpm: null, concurrent: null, budget: null };

/** Limits that an administrator has set for a key: its account's members may only lower them (docs/rulings.md 151). */
export interface Ceilings extends Limits {
  readonly expires_ms: number | null;
  /** An administrator has disabled the key: only an administrator enables it. */
  readonly barred: boolean;
}

export const NO_CEILINGS: Ceilings = { ...NO_LIMITS, expires_ms: null, barred: false };

/** The parts of a project that a key's record has. */
interface KeyProject extends LimitsByTag {
  readonly id: string;
  readonly name: string;
  /** Patterns of the models that its keys may use; null: all. */
  readonly models: readonly string[] | null;
  /** Requests a minute of all of its keys; null: not limited. */
  readonly rpm: number | null;
  readonly model_limits?: readonly ModelLimit[];
  /** What its keys mean where they ask for answers again and name no time; absent: nothing. */
  readonly cache_ms?: number;
}

/** An API key as stored, without its secret. */
export interface KeyRecord {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly status: KeyStatus;
  /** `moving`: on its way to another cell (docs/adr/0085), for seconds. */
  readonly account_status: AccountStatus | "moving";
  readonly aliases: readonly Alias[];
  readonly prefix_aliases: readonly PrefixAlias[];
  /** Patterns of allowed model ids (`*` matches any text); null allows every model. */
  readonly models: readonly string[] | null;
  /** Requests a minute; null takes the configuration's default. */
  readonly rpm: number | null;
  /** Tokens a minute; null is unlimited. */
  readonly tpm: number | null;
  /** Requests in flight; null takes the configuration's default. */
  readonly concurrent: number | null;
  readonly budget: Budget | null;
  /** Limits by model; absent: none. */
  readonly model_limits?: readonly ModelLimit[] | null;
  /** How old an answer may be that is given again where a request names no time; absent: as its project says (docs/rulings.md 183). */
  readonly cache_ms?: number;
  /** What its requests say is kept, by its own switch, else its project's, else its account's; absent: it is not (docs/rulings.md 184). */
  readonly keeps_contents?: true;
  /** Milliseconds since the epoch; null never expires. */
  readonly expires_ms: number | null;
  readonly created_ms: number;
  readonly last_used_ms: number | null;
  /** The last four characters of the key, for people to recognise it by. */
  readonly hint: string;
  /**
   * Changes whenever the key or its account's status changes. Admission compares it inside its transaction, so a cached
   * record can never admit what the database would refuse (docs/rulings.md 21).
   */
  readonly version: number;
  /** When the key got its last new secret; absent where it has its first. */
  readonly rolled_ms?: number;
  /** Until when the secret before the last roll is valid, where there is one; it may be over. */
  readonly old_secret_until_ms?: number;
  /** Absent where no administrator has limited the key. */
  readonly ceilings?: Ceilings;
  /** Absent where the account has no limits of its own. */
  readonly account_limits?: Limits;
  /** The IANA name of the time zone of the account's days; absent: UTC. */
  readonly time_zone?: string;
  /** The project that the key belongs to; absent where it belongs to none. */
  readonly project?: KeyProject;
  /** By which keys are found and usage is grouped; absent where the key has none. */
  readonly tags?: KeyTags;
  /** The user for whom the console's playground made this key; absent on all other keys. */
  readonly playground_of?: string;
}

/** A key as somebody knows it: every change of the key, its account and their limits counts the version up. */
export interface KeyVersion {
  readonly id: string;
  readonly version: number;
  /** When that was asked for last, by this process's monotonic clock. */
  readonly as_of_ms: number;
}
