import type { Micro } from "../money/money.ts";

/** A rule by which the gateway credits an account whose balance falls below a threshold. */
export interface AutoTopUp {
  readonly account_id: string;
  readonly threshold_micro: Micro;
  /** At least the threshold: so the balance is not below it right after a top-up. */
  readonly amount_micro: Micro;
  /** The most that may be credited in a UTC month. */
  readonly month_limit_micro: Micro;
  /** The current month's first day, and what was credited in that month. */
  readonly month_since: string;
  readonly month_used_micro: Micro;
  readonly last_ms: number | null;
  readonly updated_ms: number;
  readonly updated_by: string;
}

export type AutoTopUpRule = Pick<
  AutoTopUp,
  "account_id" | "threshold_micro" | "amount_micro" | "month_limit_micro" | "updated_by"
>;
