import type { Outcome, StoredAnswer } from "../../core/ledger/ledger.ts";
import { add, type Micro, micro, subtract, ZERO } from "../../core/money/money.ts";
import { UNIT_COUNTS, type UnitCounts } from "../../core/money/price-classes.ts";
import { totalInput } from "../../core/money/usage.ts";
import { charge, release } from "../wallet.ts";
import { abandonRecord, closeRecord, dropRecord } from "./idempotency.ts";
import { countEndedByRules } from "./limit-rules.ts";
import { countEndedInShared, type Ended, end } from "./shared-limits.ts";
import { topUpIfLow } from "./top-up.ts";
import { projectUsageChangeOf, tagUsageChangesOf, usageChangeOf } from "./usage-change.ts";
import {
  type AccountState,
  changeAccount,
  changeKey,
  changeRequest,
  dayOfAccount,
  type KeyState,
  type RequestEnd,
  type RequestState,
  type UsageChange,
  type WorkingSet,
} from "./working-set.ts";

/** A hold's end with a charge, before it is known how much of the cost can be charged. */
interface ChargedEnd
  extends Omit<RequestEnd, "ended_ms" | "charge_micro" | "operator_loss_micro" | "answered" | "charge_seq"> {
  readonly answered: NonNullable<RequestEnd["answered"]>;
  readonly cost_micro: Micro;
  readonly answer: StoredAnswer | null;
}

/**
 * Ends a hold with a charge, of at most what is held (docs/rulings.md 23, 145), and books all that follows
 * from it: the entry, the usage, the key's counts and spending, the record of an idempotency key.
 */
export function endWithCharge(
  working: WorkingSet,
  request: RequestState,
  status: "settled" | "expired",
  settlement: ChargedEnd,
): RequestEnd {
  const account = accountOf(working, request);
  const { answered, estimated, success, outcome } = settlement;
  const { wallet, charge_micro, operator_loss_micro } = charge(
    account.wallet,
    request.hold_micro,
    settlement.cost_micro,
  );
  account.wallet = wallet;
  changeAccount(working, account);
  let charge_seq: number | null = null;
  if (charge_micro > ZERO) {
    account.entry_count += 1;
    charge_seq = account.entry_count;
    working.entries.push({
      account_id: account.id,
      seq: charge_seq,
      amount_micro: micro(-charge_micro),
      posted_after_micro: wallet.posted_micro,
      created_ms: working.now_ms,
      request_id: request.id,
    });
  }
  topUpIfLow(working, account, ZERO);
  const { model, usage } = answered;
  const used: Used = {
    ...{ charge_micro, prompt_tokens: totalInput(usage), completion_tokens: usage.output_tokens, success },
    units: usage.extra?.units,
  };
  addUsage(usageChangeOf(working, request.account_id, request.key_id, model), used);
  const { project_id, tags } = request;
  if (project_id !== null) addUsage(projectUsageChangeOf(working, { ...request, project_id }, model), used);
  if (tags !== null)
    for (const change of tagUsageChangesOf(working, { ...request, model }, tags)) addUsage(change, used);

  const used_tokens = totalInput(usage) + usage.output_tokens;
  countEnded(working, account, request, { day: dayOfAccount(working, account.time_zone), used_tokens, charge_micro });
  closeRecord(working, request, settlement.answer, charge_micro);
  const ended_ms = working.now_ms;
  const charged = { charge_micro, operator_loss_micro, charge_seq };
  const request_end: RequestEnd = { ended_ms, ...charged, answered, estimated, success, outcome };
  request.status = status;
  request.end = request_end;
  changeRequest(working, request);
  return request_end;
}

interface Used {
  readonly charge_micro: Micro;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly success: boolean;
  readonly units: UnitCounts | undefined;
}

function addUsage(counts: UsageChange, { charge_micro, prompt_tokens, completion_tokens, success, units }: Used): void {
  counts.cost_micro = add(counts.cost_micro, charge_micro);
  counts.prompt_tokens += prompt_tokens;
  counts.completion_tokens += completion_tokens;
  counts.ended_count += 1;
  if (success) counts.success_count += 1;
  if (units !== undefined) for (const name of UNIT_COUNTS) counts[name] += units[name] ?? 0;
}

/**
 * Ends a hold without a charge: all of it goes back to the balance, and a repeat of the request runs anew. Without an outcome it is
 * a recovery that ends the hold.
 */
export function endWithoutCharge(
  working: WorkingSet,
  request: RequestState,
  operator_loss_micro: Micro,
  outcome: Outcome | null,
): void {
  const account = accountOf(working, request);
  account.wallet = release(account.wallet, request.hold_micro);
  changeAccount(working, account);
  usageChangeOf(working, request.account_id, request.key_id, request.model).ended_count += 1;
  const { project_id, tags } = request;
  if (project_id !== null) projectUsageChangeOf(working, { ...request, project_id }, request.model).ended_count += 1;
  if (tags !== null) for (const change of tagUsageChangesOf(working, request, tags)) change.ended_count += 1;
  countEnded(working, account, request, { day: working.day, used_tokens: 0, charge_micro: ZERO });
  if (outcome === null) abandonRecord(working, request);
  else dropRecord(working, request);
  request.status = "voided";
  request.end = {
    ended_ms: working.now_ms,
    charge_micro: ZERO,
    operator_loss_micro,
    answered: null,
    charge_seq: null,
    estimated: false,
    success: false,
    outcome,
  };
  changeRequest(working, request);
}

/** Takes an ended request off all counts, adds its charge to them, and corrects their tokens to what was used (docs/rulings.md 50). */
function countEnded(working: WorkingSet, account: AccountState, request: RequestState, ended: Ended): void {
  const key = keyOf(working, request);
  end(working, key, request, ended);
  key.held_micro = subtract(key.held_micro, request.hold_micro);
  changeKey(working, key);
  countEndedInShared(working, account, request, ended);
  countEndedByRules(working, request, ended);
}

export function keyOf(working: WorkingSet, request: RequestState): KeyState {
  const key = working.keys.get(request.key_id);
  if (!key) throw new Error(`the key of ${request.id} is missing`);
  return key;
}

export function accountOf(working: WorkingSet, request: RequestState): AccountState {
  const account = working.accounts.get(request.account_id);
  if (!account) throw new Error(`the account of ${request.id} is missing`);
  return account;
}
