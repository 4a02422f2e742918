import type { AdmitOp, AdmitRefusal, RateState } from "../../core/ledger/ledger.ts";
import { add, type Micro, min, subtract, ZERO } from "../../core/money/money.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { turnBack } from "../../limits/bucket.ts";
import { remainingBudget } from "../../limits/budget.ts";
import { decideRate, type RateDecision } from "../../limits/decide-rate.ts";
import { windowStart } from "../../limits/windows.ts";
import { countedOf } from "./counted-rules.ts";
import { type BudgetLeft, type Ended, end } from "./shared-limits.ts";
import { addSpentOn } from "./window-spending.ts";
import {
  type AccountState,
  type CountedRules,
  changeRule,
  dayOfAccount,
  type RequestState,
  type RuleState,
  type WorkingSet,
} from "./working-set.ts";

/**
 * Rules of limits that a request is judged by beside those of its key, project and account (docs/rulings.md 176, 177). An admission
 * brings the rules that concern it, with what they allow; the account's rows count their use. So a rule is a line of a record, and
 * nothing is written where none has counted a request. A new rule counts from its first request on. The row of a tag's value may have limits
 * of its own, which take the place of those that are brought.
 */

/** A rule's judgment over one admission. */
export interface JudgedRule {
  readonly applied: AppliedRule;
  readonly state: RuleState;
  readonly rate: RateDecision;
}

const NONE: readonly JudgedRule[] = [];

/** Whether the rules of an admission have room for one more request, in their order. */
export function judgeRules(working: WorkingSet, op: AdmitOp): readonly JudgedRule[] {
  const rules = rulesOf(op);
  if (rules.length === 0) return NONE;
  const { ids } = countedOf(op.account_id, rules);
  const { bound_tokens } = op;
  return rules.map((brought, at) => {
    const state = stateOf(working, ids[at] ?? "");
    const applied = state.own === null ? brought : { ...brought, ...state.own };
    if (turnBack(state, working.now_ms)) changeRule(working, state);
    const { requests, tokens, open_count: open } = state;
    const { rpm, tpm, concurrent } = applied;
    const rate = decideRate({ requests, tokens, open }, { rpm, tpm, concurrent, bound_tokens }, working.now_ms);
    return { applied, state, rate };
  });
}

function stateOf(working: WorkingSet, id: string): RuleState {
  const state = working.rule_counts.get(id);
  if (state === undefined) throw new Error(`the counts of the rule ${id} are missing`);
  return state;
}

/** The refusal by the rate of the first rule that has no room; null where all have. */
export function ruleRefusal(judged: readonly JudgedRule[], rate: RateState): AdmitRefusal | null {
  for (const { applied, rate: decided } of judged) {
    if (decided.refusal === null) continue;
    const { rule, value, rpm, tpm, concurrent } = applied;
    const allowed = { requests: rpm, tokens: tpm, concurrency: concurrent }[decided.refusal.limit] ?? 0;
    return { outcome: "rate_limited", ...decided.refusal, rate, rule: { rule, value, allowed } };
  }
  return null;
}

/** The rest of the tightest budget among the rules; null where none has one. */
export function leastOfRules(
  working: WorkingSet,
  account: AccountState,
  judged: readonly JudgedRule[],
): BudgetLeft | null {
  let least: BudgetLeft | null = null;
  for (const { applied, state } of judged) {
    const { rule, value, budget } = applied;
    if (budget === null) continue;
    const { amount_micro, window } = budget;
    const start_day = windowStart(window, dayOfAccount(working, account.time_zone));
    const spent_micro = spentSince(state, window, start_day);
    const remaining_micro = remainingBudget(amount_micro, { spent_micro, held_micro: state.held_micro });
    if (least === null || remaining_micro < least.remaining_micro)
      least = { window, remaining_micro, rule: { rule, value, amount_micro } };
  }
  return least;
}

/** A kept sum of a later day than today's is of an account that has moved west since: what it says still counts. */
function spentSince(state: RuleState, window: RuleState["spent_window"], start_day: number): Micro {
  return state.spent_window === window && state.spent_start_day >= start_day ? state.spent_micro : ZERO;
}

/** Counts an admitted request, with its hold, under its rules. */
export function countOpenedByRules(
  working: WorkingSet,
  account: AccountState,
  judged: readonly JudgedRule[],
  hold_micro: Micro,
): void {
  for (const { applied, state, rate } of judged) {
    state.requests = rate.requests;
    state.tokens = rate.tokens;
    state.open_count += 1;
    state.held_micro = add(state.held_micro, hold_micro);
    state.used_ms = working.now_ms;
    state.budget_micro = applied.budget?.amount_micro ?? null;
    const window = applied.budget?.window ?? null;
    if (window !== null && state.spent_window !== window) {
      state.spent_window = window;
      state.spent_start_day = windowStart(window, dayOfAccount(working, account.time_zone));
      state.spent_micro = ZERO;
      state.spent_from_ms = working.now_ms;
    }
    changeRule(working, state);
  }
}

/** What the rules that count a request have left of an amount by which its hold is to grow. */
export function withinRules(working: WorkingSet, account: AccountState, request: RequestState, wanted: Micro): Micro {
  let within = wanted;
  for (const { spent_window: window, budget_micro, ...state } of countsOf(working, request)) {
    if (budget_micro === null || window === null) continue;
    const start_day = windowStart(window, dayOfAccount(working, account.time_zone));
    const spent_micro = spentSince({ ...state, budget_micro, spent_window: window }, window, start_day);
    within = min(within, remainingBudget(budget_micro, { spent_micro, held_micro: state.held_micro }));
  }
  return within;
}

export function growByRules(working: WorkingSet, request: RequestState, added_micro: Micro): void {
  for (const state of countsOf(working, request)) {
    state.held_micro = add(state.held_micro, added_micro);
    changeRule(working, state);
  }
}

/** Takes an ended request off the counts of its rules, and adds its charge. */
export function countEndedByRules(working: WorkingSet, request: RequestState, ended: Ended): void {
  for (const state of countsOf(working, request)) {
    const { spent_start_day } = state;
    end(working, state, request, ended);
    if (state.spent_start_day !== spent_start_day) state.spent_from_ms = working.now_ms;
    state.held_micro = subtract(state.held_micro, request.hold_micro);
    changeRule(working, state);
  }
}

/** Changes the sums of a request's rules by a correction that belongs to an earlier day (docs/rulings.md 146). */
export function correctRules(working: WorkingSet, request: RequestState, day: number, difference_micro: Micro): void {
  for (const state of countsOf(working, request))
    if (addSpentOn(state, day, difference_micro)) changeRule(working, state);
}

function countsOf(working: WorkingSet, { rules }: RequestState): readonly RuleState[] {
  return rules === null ? NO_COUNTS : rules.ids.map((id) => stateOf(working, id));
}

const NO_COUNTS: readonly RuleState[] = [];

/** The rules that count an admission, as its request remembers them; null where there are none. */
export function countedRules(op: AdmitOp): CountedRules | null {
  const rules = rulesOf(op);
  return rules.length === 0 ? null : countedOf(op.account_id, rules);
}

const NO_RULES: readonly AppliedRule[] = [];
/** The rules of admissions that bring some of both kinds: they are asked for several times. */
const joined = new WeakMap<AdmitOp, readonly AppliedRule[]>();

/** All rules that an admission brings, in the order in which they are judged. */
function rulesOf(op: AdmitOp): readonly AppliedRule[] {
  const rules = op.rules ?? NO_RULES;
  const tag_rules = op.tag_rules ?? NO_RULES;
  if (tag_rules.length === 0) return rules;
  if (rules.length === 0) return tag_rules;
  let both = joined.get(op);
  if (both === undefined) {
    both = [...rules, ...tag_rules];
    joined.set(op, both);
  }
  return both;
}
