import type { LimitState, RateState } from "../../core/ledger.ts";
import { type Micro, ZERO } from "../../core/money.ts";
import type { BudgetWindow } from "../../core/principal.ts";
import { correct, refill } from "../../limits/bucket.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { decideRate, type RateDecision } from "../../limits/decide-rate.ts";
import { windowStart } from "../../limits/windows.ts";
import { addSpent, spentInWindow } from "./window-spending.ts";
import { type AccountState, changeLimits, type RequestState, type WorkingSet } from "./working-set.ts";

/** Limits of an account over all of its keys (docs/rulings.md 151): judged beside those of the key. */

/** Whether the account's limits have room for one more request; null for an account without limits. */
export function decideAccountRate(
  working: WorkingSet,
  { limits }: AccountState,
  bound_tokens: number,
): RateDecision | null {
  if (limits === null) return null;
  const { requests, tokens, open_count: open, rpm, tpm, concurrent } = limits;
  return decideRate({ requests, tokens, open }, { rpm, tpm, concurrent, bound_tokens }, working.now_ms);
}

/** What a budget has left; the window is part of what a refusal says. */
export interface BudgetLeft {
  readonly window: BudgetWindow;
  readonly remaining_micro: Micro;
}

/** What the account's budget has left; null without a budget. All holds of the account may still become charges. */
export function accountBudgetLeft(working: WorkingSet, { limits, wallet }: AccountState): BudgetLeft | null {
  if (limits === null || limits.budget_micro === null || limits.budget_window === null) return null;
  const { budget_micro, budget_window: window } = limits;
  const spent_micro = spentInWindow(limits, window, windowStart(window, working.day));
  return { window, remaining_micro: remainingBudget(budget_micro, { spent_micro, held_micro: wallet.held_micro }) };
}

/** Counts an admitted request under the account's limits. `rate` has the buckets after the request. */
export function countOpened(
  working: WorkingSet,
  account: AccountState,
  rate: Pick<RateDecision, "requests" | "tokens"> | null,
): void {
  const { limits } = account;
  if (limits === null) return;
  if (rate !== null) {
    limits.requests = rate.requests;
    limits.tokens = rate.tokens;
  }
  limits.open_count += 1;
  changeLimits(working, account);
}

/** Takes an ended request off the account's counts, adds what it was charged, and corrects its tokens to what was used. */
export function countEnded(
  working: WorkingSet,
  account: AccountState,
  request: RequestState,
  { used_tokens, charge_micro }: { readonly used_tokens: number; readonly charge_micro: Micro },
): void {
  const { limits } = account;
  if (limits === null) return;
  limits.open_count -= 1;
  if (limits.tokens !== null) {
    const bucket = refill(limits.tokens, limits.tokens.limit, working.now_ms);
    limits.tokens = correct(bucket, request.bound_tokens, used_tokens, request.created_ms);
  }
  if (charge_micro !== ZERO) addSpent(limits, charge_micro);
  changeLimits(working, account);
}

/** The tighter of two states of limits, for the client's headers. */
export function tighter(one: RateState, other: RateState | undefined): RateState {
  if (other === undefined) return one;
  return { requests: lesser(one.requests, other.requests), tokens: lesser(one.tokens, other.tokens) };
}

function lesser(one: LimitState | null, other: LimitState | null): LimitState | null {
  if (one === null || other === null) return one ?? other;
  return other.remaining < one.remaining ? other : one;
}
