import type { Micro } from "./money.ts";

/** A holder of a budget. */
export type BudgetHolder = "key" | "project" | "account";

/** A temporary raise of a budget. It ends by itself: each reader compares the time. */
export interface BudgetRaise {
  /** By how much the budget is higher. */
  readonly amount_micro: Micro;
  readonly until_ms: number;
  /** The actor of the raise: a user's id, a management key's id, or `admin-token`. */
  readonly by: string;
}
