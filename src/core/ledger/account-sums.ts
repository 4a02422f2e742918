import type { Micro } from "../money/money.ts";
import type { TrafficReports } from "../operations/traffic.ts";
import type { KeyUsage } from "../people/budgets.ts";

export interface AccountSums {
  readonly accounts: number;
  readonly disabled: number;
  readonly balance_micro: Micro;
  readonly held_micro: Micro;
  /** The charges of the current UTC month, as far as they are counted. */
  readonly month_micro: Micro;
  /** Requests that ended before are counted; null before the first count. */
  readonly counted_ms: number | null;
}

/** The activity of an account's keys in this month. */
export interface AccountUse {
  readonly account_id: string;
  readonly month_micro: Micro;
  /** The playground's keys are not among them. */
  readonly active_keys: number;
}

/** The figures that the list of accounts shows beside the accounts. A part of the account store's reports. */
export interface AccountReports extends TrafficReports {
  /** What one key of an account was charged: in all, and in the current UTC day, ISO week and month. */
  keyUsage(account_id: string, key_id: string): Promise<KeyUsage>;
  sumAccounts(): Promise<AccountSums>;
  /** In the order of the ids; unknown ids are left out. */
  accountUses(account_ids: readonly string[]): Promise<AccountUse[]>;
}

/** How many keys and accounts there are, and how many have limits of their own. Deleted keys do not count. */
export interface LimitCounts {
  readonly keys: number;
  readonly limited_keys: number;
  readonly accounts: number;
  readonly limited_accounts: number;
}
