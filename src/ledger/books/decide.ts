import type {
  AdmitResult,
  CountRefusalOp,
  ExtendResult,
  ProgressOp,
  RecordedResult,
  SettleOp,
  SettleResult,
  VoidOp,
  VoidResult,
} from "../../core/ledger/ledger.ts";
import { add, MAX_MICRO, type Micro, micro, min, subtract, ZERO } from "../../core/money/money.ts";
import { NO_UNITS, UNIT_COUNTS, type UnitCount, type UnitCounts } from "../../core/money/price-classes.ts";
import { totalInput } from "../../core/money/usage.ts";
import { timeZoneOf } from "../../core/time-zone.ts";
import { refill, takeWhatIsLeft } from "../../limits/bucket.ts";
import type { BookOp, RecoverOp } from "./book-op.ts";
import type { RecoveredRequest } from "./booked-rows.ts";
import { decideAdmission } from "./decide-admission.ts";
import { decideExtension } from "./decide-extension.ts";
import { accountOf, endWithCharge, endWithoutCharge, keyOf } from "./end-hold.ts";
import { closeRecord, dropRecord, mayChargeLate } from "./idempotency.ts";
import { lateNote, lateOutcomeText } from "./late-end.ts";
import { correctRules } from "./limit-rules.ts";
import { progressText, readProgress } from "./row-json.ts";
import { topUpIfLow } from "./top-up.ts";
import { projectUsageChangeOf, usageChangeOf } from "./usage-change.ts";
import { addSpentOn } from "./window-spending.ts";
import {
  changeAccount,
  changeKey,
  changeLimits,
  changeProject,
  changeRequest,
  projectOf,
  type RequestState,
  type WorkingSet,
} from "./working-set.ts";

type RecoveryResult = { readonly outcome: "settled" | "voided" | "left" };

export type BookResult = AdmitResult | ExtendResult | RecordedResult | SettleResult | VoidResult | RecoveryResult;

/**
 * Decides over one operation of a batch, on a working set that has the rows that the operation concerns, and changes those
 * rows. A decision follows from the rows, the operation and the time alone (docs/adr/0019).
 */
export function decide(working: WorkingSet, op: BookOp): BookResult {
  switch (op.op) {
    case "admit":
      return decideAdmission(working, op);
    case "extend":
      return decideExtension(working, op);
    case "progress":
      return decideProgress(working, op);
    case "settle":
      return decideSettlement(working, op);
    case "void":
      return decideVoid(working, op);
    case "recover":
      return decideRecovery(working, op);
    case "count-refusal":
      return countRefusal(working, op);
  }
}

/**
 * Counts a request that was refused before its admission (docs/rulings.md 49), and takes it from its key's rate (141). An
 * unknown account has no usage.
 */
function countRefusal(working: WorkingSet, op: CountRefusalOp): RecordedResult {
  const { account_id, key_id, rpm } = op;
  const model = op.model ?? "";
  if (!working.accounts.has(account_id)) return { outcome: "recorded" };
  usageChangeOf(working, account_id, key_id, model).refused_count += 1;
  const key = working.keys.get(key_id);
  if (key !== undefined && key.project_id !== null && key.account_id === account_id)
    projectUsageChangeOf(working, { account_id, key_id, project_id: key.project_id }, model).refused_count += 1;
  if (rpm !== null && key?.account_id === account_id) {
    key.requests = takeWhatIsLeft(refill(key.requests, rpm, working.now_ms));
    changeKey(working, key);
  }
  return { outcome: "recorded" };
}

/** Records how far a running request has come, and moves its deadline. A request that has ended stays as it is. */
function decideProgress(working: WorkingSet, op: ProgressOp): RecordedResult {
  const request = working.requests.get(op.request_id);
  if (request?.status === "held") {
    request.progress = progressText(op);
    request.deadline_ms = working.now_ms + op.ttl_ms;
    request.hold_changed = true;
    changeRequest(working, request);
  }
  return { outcome: "recorded" };
}

/**
 * Ends a hold with a charge (docs/rulings.md 23). A request that has ended stays as it is; where a recovery ended it, the
 * difference is booked (docs/rulings.md 46, 146).
 */
function decideSettlement(working: WorkingSet, op: SettleOp): SettleResult {
  const request = working.requests.get(op.request_id);
  if (!request) return { outcome: "unknown_request" };
  if (request.status !== "held") {
    return settleLate(working, request, op) ?? { outcome: "already_ended", status: request.status };
  }
  const { estimated, success, answer } = op;
  const { charge_micro, operator_loss_micro } = endWithCharge(working, request, "settled", {
    answered: op,
    estimated,
    success,
    answer,
    cost_micro: op.charge_micro,
    outcome: op.outcome,
  });
  return { outcome: "settled", charge_micro, operator_loss_micro };
}

/** Ends a hold without a charge. A request that has ended stays as it is; what a recovery charged is given back (146). */
function decideVoid(working: WorkingSet, op: VoidOp): VoidResult {
  const request = working.requests.get(op.request_id);
  if (!request) return { outcome: "unknown_request" };
  if (request.status !== "held") {
    return voidLate(working, request, op) ?? { outcome: "already_ended", status: request.status };
  }
  endWithoutCharge(working, request, op.operator_loss_micro, op.outcome);
  return { outcome: "voided" };
}

/**
 * Ends a hold that its process left behind (docs/rulings.md 43). It is charged with the progress that was recorded of the
 * request. Without a progress nobody knows what the vendor charged: the hold is voided and booked as the operator's
 * loss (docs/rulings.md 92).
 */
function decideRecovery(working: WorkingSet, op: RecoverOp): RecoveryResult {
  const request = working.requests.get(op.request_id);
  if (request?.status !== "held") return { outcome: "left" };
  const is_late = request.deadline_ms <= working.now_ms;
  if (request.progress === null) {
    endWithoutCharge(working, request, request.hold_micro, null);
    return { outcome: "voided" };
  }
  const { charge_micro, ...answered } = readProgress(request.progress);
  endWithCharge(working, request, is_late ? "expired" : "settled", {
    answered,
    estimated: true,
    success: false,
    answer: null,
    cost_micro: charge_micro,
    outcome: null,
  });
  return { outcome: "settled" };
}

/**
 * Books the difference between what a recovery charged for a request and what its own end says, once, as a correction
 * (docs/rulings.md 146). The charge is bounded as ever: by the hold that there was, and by the balance. It is the operator's loss
 * where a repeat has taken the request's idempotency key over. Null where no recovery ended the request, or where its own end is
 * booked already.
 */
function settleLate(working: WorkingSet, request: RequestState, op: SettleOp): SettleResult | null {
  const recovered = recoveredOf(working, request);
  if (recovered === null) return null;
  const owed_micro = subtract(min(op.charge_micro, request.hold_micro), recovered.charge_micro);
  const wanted_micro = mayChargeLate(working, request) ? owed_micro : min(owed_micro, ZERO);
  const difference_micro = bookDifference(working, request, recovered, wanted_micro);
  const charge_micro = add(recovered.charge_micro, difference_micro);
  const operator_loss_micro = min(subtract(op.charge_micro, charge_micro), MAX_MICRO);
  endLate(working, request, recovered, {
    difference_micro,
    prompt_tokens: totalInput(op.usage),
    completion_tokens: op.usage.output_tokens,
    units: op.usage.extra?.units ?? {},
    success_count: op.success ? 1 : 0,
    outcome: lateOutcomeText(op, { charge_micro, operator_loss_micro }),
  });
  closeRecord(working, request, op.answer, charge_micro);
  return { outcome: "settled", charge_micro, operator_loss_micro, late: true };
}

/** Gives back what a recovery charged for a request that owes nothing. Null as in `settleLate`. */
function voidLate(working: WorkingSet, request: RequestState, op: VoidOp): VoidResult | null {
  const recovered = recoveredOf(working, request);
  if (recovered === null) return null;
  const difference_micro = bookDifference(working, request, recovered, micro(-recovered.charge_micro));
  const charge_micro = add(recovered.charge_micro, difference_micro);
  endLate(working, request, recovered, {
    difference_micro,
    prompt_tokens: 0,
    completion_tokens: 0,
    units: {},
    success_count: 0,
    outcome: lateOutcomeText(op, { charge_micro, operator_loss_micro: op.operator_loss_micro }),
  });
  dropRecord(working, request);
  return { outcome: "voided", late: true };
}

function recoveredOf(working: WorkingSet, request: RequestState): RecoveredRequest | null {
  const recovered = working.recovered.get(request.id);
  return recovered === undefined || recovered.ended_late ? null : recovered;
}

/** Takes a difference off the balance, as far as that goes, or gives it back. Returns what was booked. */
function bookDifference(
  working: WorkingSet,
  request: RequestState,
  { charge_seq, ended_ms }: RecoveredRequest,
  wanted_micro: Micro,
): Micro {
  const account = accountOf(working, request);
  const { balance_micro, held_micro, posted_micro } = account.wallet;
  const difference_micro = min(wanted_micro, balance_micro);
  if (difference_micro === ZERO) return ZERO;
  account.wallet = {
    balance_micro: subtract(balance_micro, difference_micro),
    held_micro,
    posted_micro: subtract(posted_micro, difference_micro),
  };
  account.entry_count += 1;
  changeAccount(working, account);
  working.entries.push({
    account_id: account.id,
    seq: account.entry_count,
    amount_micro: micro(-difference_micro),
    posted_after_micro: account.wallet.posted_micro,
    created_ms: working.now_ms,
    request_id: null,
    correction: { note: lateNote(request.id), corrects_seq: charge_seq },
  });
  countSpending(working, request, timeZoneOf(account.time_zone).dayAt(ended_ms), difference_micro);
  return difference_micro;
}

/** Changes the kept sums of key, project and account where the recovery's day is in their window: the difference belongs to that day. */
function countSpending(working: WorkingSet, request: RequestState, day: number, difference_micro: Micro): void {
  const key = keyOf(working, request);
  if (addSpentOn(key, day, difference_micro)) changeKey(working, key);
  const account = accountOf(working, request);
  if (account.limits !== null && addSpentOn(account.limits, day, difference_micro)) changeLimits(working, account);
  const project = projectOf(working, request);
  if (project !== null && addSpentOn(project, day, difference_micro)) changeProject(working, project);
  correctRules(working, request, day, difference_micro);
}

interface End {
  readonly difference_micro: Micro;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly units: UnitCounts;
  readonly success_count: 0 | 1;
  readonly outcome: string;
}

function endLate(working: WorkingSet, request: RequestState, recovered: RecoveredRequest, end: End): void {
  recovered.ended_late = true;
  const account = accountOf(working, request);
  working.late.push({
    request_id: request.id,
    account_id: request.account_id,
    key_id: request.key_id,
    project_id: request.project_id,
    tags: request.tags,
    model: request.model,
    day: recovered.day,
    booked_ms: working.now_ms,
    difference_micro: end.difference_micro,
    // The correction is the account's last entry: a top-up follows it.
    entry_seq: end.difference_micro === ZERO ? null : account.entry_count,
    prompt_tokens: end.prompt_tokens - recovered.prompt_tokens,
    completion_tokens: end.completion_tokens - recovered.completion_tokens,
    ...beyond(recovered.units, end.units),
    success_count: end.success_count,
    outcome: end.outcome,
  });
  topUpIfLow(working, account, ZERO);
}

/** What a request's own end counts of each unit beyond the recovery: less than nothing where it counts fewer. */
function beyond(recovered: UnitCounts, units: UnitCounts): Readonly<Record<UnitCount, number>> {
  const counts: Record<UnitCount, number> = { ...NO_UNITS };
  for (const name of UNIT_COUNTS) counts[name] = (units[name] ?? 0) - (recovered[name] ?? 0);
  return counts;
}
