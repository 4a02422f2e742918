import type { Micro } from "../money/money.ts";
import type { Budget, BudgetWindow } from "./principal.ts";

export type BudgetHolder = "key" | "project" | "account";

/** A temporary raise of a budget. It ends by itself: each reader compares the time. */
export interface BudgetRaise {
  /** By how much the budget is higher. */
  readonly amount_micro: Micro;
  readonly until_ms: number;
  /** The actor of the raise: a user's id, a management key's id, or `admin-token`. */
  readonly by: string;
}

/** How much of a budget is used in the current window. */
export interface BudgetUse {
  readonly window: BudgetWindow;
  /** The first day of the window in the account's time zone; null for a budget that never renews. */
  readonly since: string | null;
  /** When the window renews: a time in RFC 3339 with the offset of the account's time zone, and that one's name. Null: never. */
  readonly renews: { readonly at: string; readonly time_zone: string } | null;
  /** The budget without its raise. */
  readonly amount_micro: Micro;
  /** The raise that holds now; null without one. */
  readonly raise: BudgetRaise | null;
  readonly spent_micro: Micro;
  readonly held_micro: Micro;
}

/** What is counted under a rule of limits (docs/rulings.md 177). */
export interface RuleUse {
  readonly rule: string;
  readonly value: string;
  /** Requests in flight. */
  readonly open_count: number;
  /** The use of the rule's budget; null where the rule has none. */
  readonly use: BudgetUse | null;
}

export interface AskedRule {
  readonly rule: string;
  readonly budget: Budget | null;
}

export interface KeyBudgetUse extends BudgetUse {
  readonly key_id: string;
}

/** What a key was charged, as far as usage is kept. */
export interface KeyUsage {
  readonly total_micro: Micro;
  readonly daily_micro: Micro;
  readonly weekly_micro: Micro;
  readonly monthly_micro: Micro;
}
