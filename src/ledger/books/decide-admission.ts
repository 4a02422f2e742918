import type {
  AdmitOp,
  AdmitRefusal,
  AdmitResult,
  OutputAllowance,
  OutputGrant,
  RateState,
} from "../../core/ledger/ledger.ts";
import { add, type Micro, min, ZERO } from "../../core/money/money.ts";
import { turnBack } from "../../limits/bucket.ts";
import { decideRate, type RateDecision, rateOfRefused } from "../../limits/decide-rate.ts";
import { hold } from "../wallet.ts";
import { grantOutput, leastHold } from "./grant-output.ts";
import { answerFromRecord, openRecord } from "./idempotency.ts";
import {
  countedRules,
  countOpenedByRules,
  type JudgedRule,
  judgeRules,
  leastOfRules,
  ruleRefusal,
} from "./limit-rules.ts";
import { countedTags } from "./request-tags.ts";
import {
  type BudgetLeft,
  budgetLeft,
  countOpened,
  countOpenedIn,
  decideSharedRate,
  leastLeft,
  sharedBudgetLeft,
  tighter,
} from "./shared-limits.ts";
import { topUpIfLow } from "./top-up.ts";
import { projectUsageChangeOf, tagUsageChangesOf, usageChangeOf } from "./usage-change.ts";
import {
  type AccountState,
  changeAccount,
  changeKey,
  changeLimits,
  changeProject,
  changeRequest,
  type KeyState,
  type ProjectState,
  projectOf,
  type RequestState,
  type WorkingSet,
} from "./working-set.ts";

/** How stale a key's `last_used_ms` may be. The row is written anyway; the step keeps the figure from changing all the time. */
const LAST_USED_STEP_MS = 60_000;

/**
 * Decides over an admission, in this order (docs/rulings.md 21): key and account are still as the caller knows them; the
 * key's requests of this minute have room; a stored answer is replayed, which costs no money; the other rates and the budgets
 * of the key, of its project and of the account have room; the balance covers the hold (else 402), for which a rule of the account may top it
 * up. A request with an allowance is admitted with less output where budget or balance do not cover its whole hold.
 *
 * Whatever is decided, but for a stale key, takes one of the key's requests of this minute if there is one (141). A refused
 * admission changes nothing else but the count of refusals, and the buckets of a clock that was set back.
 */
export function decideAdmission(working: WorkingSet, op: AdmitOp): AdmitResult {
  const payer = payerOf(working, op);
  if (payer === null) return { outcome: "stale_key" };

  keepSetBack(working, payer);
  const { requests, tokens, open_count: open } = payer.key;
  const rate = decideRate({ requests, tokens, open }, op, working.now_ms);
  const of_project = decideSharedRate(working, payer.project, op.bound_tokens);
  const of_account = decideSharedRate(working, payer.account.limits, op.bound_tokens);
  const of_rules = judgeRules(working, op);
  const rates = { rate, of_project, of_account, of_rules };
  const state = of_rules.reduce<RateState>(
    (tightest, each) => tighter(tightest, each.rate.rate),
    tighter(tighter(rate.rate, of_project?.rate), of_account?.rate),
  );
  const answered = rate.refusal?.limit === "requests" ? null : answerFromRecord(working, op);
  const verdict = answered ?? rateRefusal(rates, state) ?? judge(working, op, payer, rates);
  if (verdict !== null && "outcome" in verdict) {
    countUnadmitted(working, op, payer.key, verdict.outcome === "replay" ? "replayed_count" : "refused_count");
    takeRequest(working, payer.key, rate);
    return verdict;
  }
  takeHold(working, op, payer, { ...rates, hold_micro: verdict?.hold_micro ?? op.hold_micro });
  return verdict === null
    ? { outcome: "admitted", rate: state }
    : { outcome: "admitted", rate: state, granted: verdict };
}

/** Lets buckets refill from now on whose time lies ahead, because the clock was set back: a refusal would keep them as they are. */
function keepSetBack(working: WorkingSet, { key, project, account }: Payer): void {
  if (turnBack(key, working.now_ms)) changeKey(working, key);
  if (project !== null && turnBack(project, working.now_ms)) changeProject(working, project);
  if (account.limits !== null && turnBack(account.limits, working.now_ms)) changeLimits(working, account);
}

/** Counts a request that gets no hold in the day's usage. */
function countUnadmitted(
  working: WorkingSet,
  op: AdmitOp,
  { project_id }: KeyState,
  count: "replayed_count" | "refused_count",
): void {
  usageChangeOf(working, op.account_id, op.key_id, op.model)[count] += 1;
  if (project_id !== null) projectUsageChangeOf(working, { ...op, project_id }, op.model)[count] += 1;
  const tags = countedTags(working, op);
  if (tags === null) return;
  for (const change of tagUsageChangesOf(working, { ...op, project_id }, tags)) change[count] += 1;
}

/** Takes a request that gets no hold from its key's requests of this minute. */
function takeRequest(working: WorkingSet, key: KeyState, { refusal, requests }: RateDecision): void {
  if (requests === null || refusal?.limit === "requests") return;
  key.requests = requests;
  changeKey(working, key);
}

interface Payer {
  readonly key: KeyState;
  /** Null where the key belongs to no project. */
  readonly project: ProjectState | null;
  readonly account: AccountState;
}

/** The key and account, if both are active and still as they were when the caller resolved the request. */
function payerOf(working: WorkingSet, op: AdmitOp): Payer | null {
  const key = working.keys.get(op.key_id);
  const account = working.accounts.get(op.account_id);
  if (!key || !account || key.account_id !== account.id) return null;
  if (key.deleted || key.version !== op.key_version || key.status !== "active" || account.status !== "active")
    return null;
  if (key.expires_ms !== null && key.expires_ms <= working.now_ms) return null;
  return { key, project: projectOf(working, key), account };
}

interface Rates {
  readonly rate: RateDecision;
  readonly of_project: RateDecision | null;
  readonly of_account: RateDecision | null;
  readonly of_rules: readonly JudgedRule[];
}

/** The refusal by the rate of the key, else of its project, else of the account, else of a rule; null where all have room. */
function rateRefusal({ rate: of_key, of_project, of_account, of_rules }: Rates, rate: RateState): AdmitRefusal | null {
  if (of_key.refusal !== null) return { outcome: "rate_limited", ...of_key.refusal, rate };
  if (of_project !== null && of_project.refusal !== null)
    return { outcome: "rate_limited", ...of_project.refusal, rate, of: "project" };
  const refusal = of_account?.refusal ?? null;
  if (refusal !== null) return { outcome: "rate_limited", ...refusal, rate, of: "account" };
  return ruleRefusal(of_rules, rate);
}

/** The refusal by budget or balance, or what was granted of the allowance; null where the whole hold is paid. */
function judge(
  working: WorkingSet,
  op: AdmitOp,
  { key, project, account }: Payer,
  rates: Rates,
): AdmitRefusal | OutputGrant | null {
  const within = leastLeft(keyBudgetLeft(working, op, { key, account }), sharedBudgetLeft(working, account, project));
  const budget = leastLeft(within, leastOfRules(working, account, rates.of_rules));
  const { allowance = null } = op;
  if (budget !== null && (allowance === null ? op.hold_micro : leastHold(allowance)) > budget.remaining_micro)
    return { outcome: "budget_exceeded", ...budget, rate: stateOfRefused(rates) };
  const fits = budget === null || op.hold_micro <= budget.remaining_micro;
  if (fits) topUpIfLow(working, account, op.hold_micro);
  if (fits && op.hold_micro <= account.wallet.balance_micro) return null;
  const granted = allowance === null ? null : grantWithin(working, account, allowance, budget?.remaining_micro ?? null);
  if (granted !== null) return granted;
  const { balance_micro } = account.wallet;
  return { outcome: "insufficient_balance", balance_micro, rate: stateOfRefused(rates) };
}

/** The limits as they are once budget or balance have refused a request, which takes none of its tokens. */
function stateOfRefused({ rate, of_project, of_account, of_rules }: Rates): RateState {
  const judged = of_rules.map((each) => each.rate);
  const [of_key, ...shared] = [rate, of_project, of_account, ...judged].map((each) =>
    each === null ? undefined : rateOfRefused(each),
  );
  return shared.reduce<RateState>(tighter, of_key ?? rate.rate);
}

/** The part of the allowance that is granted; null where the balance does not pay for the least. */
function grantWithin(
  working: WorkingSet,
  account: AccountState,
  allowance: OutputAllowance,
  remaining_micro: Micro | null,
): OutputGrant | null {
  topUpIfLow(working, account, leastHold(allowance));
  const { balance_micro } = account.wallet;
  return grantOutput(allowance, remaining_micro === null ? balance_micro : min(balance_micro, remaining_micro));
}

/** The rest of the key's budget; null without a budget. */
function keyBudgetLeft(
  working: WorkingSet,
  { budget }: AdmitOp,
  { key, account }: Pick<Payer, "key" | "account">,
): BudgetLeft | null {
  if (budget === null) return null;
  const asked = { ...budget, held_micro: key.held_micro };
  return { window: budget.window, remaining_micro: budgetLeft(working, account.time_zone, key, asked) };
}

interface TakenHold {
  readonly rate: Pick<RateDecision, "requests" | "tokens">;
  /** Null leaves the buckets of the project, or of the account, as they are. */
  readonly of_project: Pick<RateDecision, "requests" | "tokens"> | null;
  readonly of_account: Pick<RateDecision, "requests" | "tokens"> | null;
  readonly of_rules: readonly JudgedRule[];
  readonly hold_micro: Micro;
}

/**
 * Takes the hold of an admission, and counts it on its key and under the limits of its project and account. `rate`, `of_project`
 * and `of_account` have the buckets of key, project and account after the request.
 */
export function takeHold(
  working: WorkingSet,
  op: AdmitOp,
  { key, project, account }: Payer,
  { rate, of_project, of_account, of_rules, hold_micro }: TakenHold,
): void {
  // The tables would refuse it too, but a writer may write them long after it has said yes.
  if (working.requests.has(op.request_id)) throw new Error(`${op.request_id} is admitted already`);
  const wallet = hold(account.wallet, hold_micro);
  if (wallet === null) throw new Error(`${op.request_id} was admitted beyond its balance`);
  account.wallet = wallet;
  changeAccount(working, account);

  key.requests = rate.requests;
  key.tokens = rate.tokens;
  key.open_count += 1;
  key.held_micro = add(key.held_micro, hold_micro);
  if (key.last_used_ms === null || working.now_ms - key.last_used_ms >= LAST_USED_STEP_MS)
    key.last_used_ms = working.now_ms;
  changeKey(working, key);
  if (project !== null) countOpenedIn(working, project, of_project, hold_micro);
  countOpened(working, account, of_account);
  countOpenedByRules(working, account, of_rules, hold_micro);

  const request: RequestState = {
    id: op.request_id,
    account_id: op.account_id,
    key_id: op.key_id,
    project_id: key.project_id,
    tags: countedTags(working, op),
    rules: countedRules(op),
    created_ms: working.now_ms,
    bound_tokens: op.bound_tokens,
    idempotency_key: op.idempotency?.key ?? null,
    model: op.model,
    admitted: op,
    status: "held",
    hold_micro,
    extended_micro: ZERO,
    deadline_ms: working.now_ms + op.ttl_ms,
    progress: null,
    end: null,
    hold_changed: false,
    changed: false,
  };
  working.requests.set(op.request_id, request);
  changeRequest(working, request);
  openRecord(working, op);
}
