import type { LimitState, RateState, RefusedRule, SharedBy } from "../../core/ledger/ledger.ts";
import { add, type Micro, subtract, ZERO } from "../../core/money/money.ts";
import type { Budget, BudgetWindow } from "../../core/people/principal.ts";
import { correct, refill } from "../../limits/bucket.ts";
import { type RaiseState, raisedBudget, remainingBudget } from "../../limits/budget.ts";
import { decideRate, type RateDecision } from "../../limits/decide-rate.ts";
import { windowStart } from "../../limits/windows.ts";
import { addSpent, spentInWindow } from "./window-spending.ts";
import {
  type AccountState,
  changeLimits,
  changeProject,
  dayOfAccount,
  type ProjectState,
  projectOf,
  type RequestState,
  type SharedCounts,
  type SharedLimitState,
  type Spending,
  type WorkingSet,
} from "./working-set.ts";

/**
 * Limits over several keys: of an account over all of its keys (docs/rulings.md 151), of a project over its own
 * (docs/design/tags-and-projects.md). They are judged beside those of the key.
 */

/** Whether shared limits have room for one more request; null without limits. */
export function decideSharedRate(
  working: WorkingSet,
  limits: SharedLimitState | null,
  bound_tokens: number,
): RateDecision | null {
  if (limits === null) return null;
  const { requests, tokens, open_count: open, rpm, tpm, concurrent } = limits;
  return decideRate({ requests, tokens, open }, { rpm, tpm, concurrent, bound_tokens }, working.now_ms);
}

/** The rest of a budget. A refusal names its window. Without `of` the budget is the key's. */
export interface BudgetLeft {
  readonly window: BudgetWindow;
  readonly remaining_micro: Micro;
  readonly of?: SharedBy;
  readonly rule?: RefusedRule & { readonly amount_micro: Micro };
}

/** The smaller rest of the budgets of a project and its account; null without any. All holds of the account may still become charges. */
export function sharedBudgetLeft(
  working: WorkingSet,
  { time_zone, limits, wallet }: AccountState,
  project: ProjectState | null,
): BudgetLeft | null {
  const of_project = restOf(working, time_zone, project, { held_micro: project?.held_micro ?? ZERO, of: "project" });
  return leastLeft(of_project, restOf(working, time_zone, limits, { held_micro: wallet.held_micro, of: "account" }));
}

function restOf(
  working: WorkingSet,
  time_zone: string | null,
  limits: SharedLimitState | null,
  { held_micro, of }: { readonly held_micro: Micro; readonly of: SharedBy },
): BudgetLeft | null {
  const { budget_micro: amount_micro = null, budget_window: window = null } = limits ?? {};
  if (limits === null || amount_micro === null || window === null) return null;
  return { window, remaining_micro: budgetLeft(working, time_zone, limits, { amount_micro, window, held_micro }), of };
}

/** The rest of a budget of the holder of these counts, with its raise where one holds now. */
export function budgetLeft(
  working: WorkingSet,
  time_zone: string | null,
  counts: Spending & RaiseState,
  { amount_micro, window, held_micro }: Budget & { readonly held_micro: Micro },
): Micro {
  const spent_micro = spentInWindow(counts, window, windowStart(window, dayOfAccount(working, time_zone)));
  return remainingBudget(raisedBudget(amount_micro, counts, working.now_ms), { spent_micro, held_micro });
}

/** The budget with the smaller rest; the first where the rests are equal. */
export function leastLeft(one: BudgetLeft | null, other: BudgetLeft | null): BudgetLeft | null {
  if (one === null || other === null) return one ?? other;
  return one.remaining_micro <= other.remaining_micro ? one : other;
}

type Buckets = Pick<RateDecision, "requests" | "tokens">;

/** Counts an admitted request under the account's limits. `rate` has the buckets after the request; null leaves them as they are. */
export function countOpened(working: WorkingSet, account: AccountState, rate: Buckets | null): void {
  if (account.limits === null) return;
  open(account.limits, rate);
  changeLimits(working, account);
}

/** Counts an admitted request, with its hold, under its project's limits. */
export function countOpenedIn(
  working: WorkingSet,
  project: ProjectState,
  rate: Buckets | null,
  hold_micro: Micro,
): void {
  open(project, rate);
  project.held_micro = add(project.held_micro, hold_micro);
  changeProject(working, project);
}

function open(limits: SharedLimitState, rate: Buckets | null): void {
  if (rate !== null) {
    limits.requests = rate.requests;
    limits.tokens = rate.tokens;
  }
  limits.open_count += 1;
}

export interface Ended {
  /** Today, in the account's time zone. */
  readonly day: number;
  readonly used_tokens: number;
  readonly charge_micro: Micro;
}

/**
 * Takes an ended request off the counts of its account and of its project, adds its charge, and corrects its tokens to
 * its usage.
 */
export function countEndedInShared(
  working: WorkingSet,
  account: AccountState,
  request: RequestState,
  ended: Ended,
): void {
  if (account.limits !== null) {
    end(working, account.limits, request, ended);
    changeLimits(working, account);
  }
  const project = projectOf(working, request);
  if (project === null) return;
  end(working, project, request, ended);
  project.held_micro = subtract(project.held_micro, request.hold_micro);
  changeProject(working, project);
}

/** Takes an ended request off counts, corrects their tokens to its usage, and adds its charge. */
export function end(
  working: WorkingSet,
  limits: SharedCounts,
  request: RequestState,
  { day, used_tokens, charge_micro }: Ended,
): void {
  limits.open_count -= 1;
  if (limits.tokens !== null) {
    const bucket = refill(limits.tokens, limits.tokens.limit, working.now_ms);
    limits.tokens = correct(bucket, request.bound_tokens, used_tokens, request.created_ms);
  }
  if (charge_micro !== ZERO) addSpent(limits, day, charge_micro);
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
