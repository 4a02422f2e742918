import type { AdmitOp, SettleOp } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import type { BookOp } from "./book-op.ts";
import { type BookResult, decide } from "./decide.ts";
import { takeHold } from "./decide-admission.ts";
import { growHold } from "./decide-extension.ts";
import { endWithCharge, endWithoutCharge } from "./end-hold.ts";
import { type JudgedRule, judgeRules } from "./limit-rules.ts";
import { usageChangeOf } from "./usage-change.ts";
import { projectOf, type RequestState, type WorkingSet } from "./working-set.ts";

/**
 * Whether two results of an operation are the same for the one who was told: the same outcome and the same amounts. What a
 * refusal says of the balance, and the state of the rate limits, is information and moves no money.
 */
export function isSameResult(one: BookResult, other: BookResult): boolean {
  if (one.outcome !== other.outcome) return false;
  return describeResult(one) === describeResult(other);
}

/** The outcome and the amounts of a result that move money, in words. */
export function describeResult(result: BookResult): string {
  const late = "late" in result && result.late === true ? " late" : "";
  switch (result.outcome) {
    case "settled":
      return "charge_micro" in result
        ? `settled${late} with a charge of ${result.charge_micro} and a loss of ${result.operator_loss_micro} micro units`
        : "settled";
    case "voided":
      return `voided${late}`;
    case "already_ended":
      return `already_ended (${result.status})`;
    case "admitted":
      return result.granted === undefined
        ? "admitted"
        : `admitted with a hold of ${result.granted.hold_micro} micro units`;
    case "extended":
      return `extended by ${result.added_micro} micro units`;
    default:
      return result.outcome;
  }
}

/** Thrown where the rows do not allow what was acknowledged; the message says why. */
export class CannotBeKept extends Error {
  override readonly name = "CannotBeKept";
}

/**
 * Brings the rows to what an operation's acknowledged result says, whatever the rules decide now (docs/rulings.md 148). Limits,
 * budgets and the status of key and account do not count: they were judged when the operation was acknowledged. Throws
 * CannotBeKept where the rows cannot have that result exactly, as when the balance does not cover an acknowledged hold.
 */
export function decideAsAcknowledged(working: WorkingSet, op: BookOp, acknowledged: BookResult): void {
  switch (op.op) {
    case "admit":
      return admitAsAcknowledged(working, op, acknowledged);
    case "extend":
      if (acknowledged.outcome === "extended") extendAnyway(working, op.request_id, acknowledged.added_micro);
      return;
    case "settle":
      if (acknowledged.outcome !== "settled" || !("charge_micro" in acknowledged)) return;
      return chargeExactly(working, op, acknowledged.charge_micro, acknowledged.operator_loss_micro);
    case "void":
      if (acknowledged.outcome === "voided") {
        endWithoutCharge(working, heldRequest(working, op.request_id), op.operator_loss_micro, op.outcome);
      }
      return;
    case "progress":
    case "count-refusal":
    case "recover":
      decide(working, op);
  }
}

function admitAsAcknowledged(working: WorkingSet, op: AdmitOp, acknowledged: BookResult): void {
  const { outcome } = acknowledged;
  if (outcome === "stale_key") return;
  const account = working.accounts.get(op.account_id);
  const key = working.keys.get(op.key_id);
  if (!account || !key) throw new CannotBeKept("its account or its key is gone");
  if (acknowledged.outcome !== "admitted") {
    usageChangeOf(working, op.account_id, op.key_id, op.model).refused_count += 1;
    return;
  }
  if (working.requests.has(op.request_id)) throw new CannotBeKept("the request is there already");
  const hold_micro = acknowledged.granted?.hold_micro ?? op.hold_micro;
  if (account.wallet.balance_micro < hold_micro) {
    throw new CannotBeKept(`the balance is ${account.wallet.balance_micro} and the hold ${hold_micro} micro units`);
  }
  takeHold(
    working,
    op,
    { key, project: projectOf(working, key), account },
    {
      rate: { requests: key.requests, tokens: key.tokens },
      of_project: null,
      of_account: null,
      of_rules: untouched(judgeRules(working, op)),
      hold_micro,
    },
  );
}

/** Rules that count a request without taking it from their rates, as those of project and account are left as they are. */
function untouched(judged: readonly JudgedRule[]): readonly JudgedRule[] {
  return judged.map((each) => ({
    ...each,
    rate: { ...each.rate, requests: each.state.requests, tokens: each.state.tokens },
  }));
}

function extendAnyway(working: WorkingSet, request_id: string, added_micro: Micro): void {
  const request = heldRequest(working, request_id);
  const account = working.accounts.get(request.account_id);
  const key = working.keys.get(request.key_id);
  if (!account || !key || !growHold(working, { request, key, account }, added_micro))
    throw new CannotBeKept("the balance does not cover the extension");
}

/** Ends a hold with the acknowledged charge and loss, to the unit. */
function chargeExactly(working: WorkingSet, op: SettleOp, charge_micro: Micro, loss_micro: Micro): void {
  const request = heldRequest(working, op.request_id);
  if (request.hold_micro < charge_micro) {
    throw new CannotBeKept(`${request.hold_micro} micro units are held, and the charge is ${charge_micro}`);
  }
  const { estimated, success, answer, outcome } = op;
  const settlement = { answered: op, estimated, success, answer, outcome };
  const end = endWithCharge(working, request, "settled", { ...settlement, cost_micro: charge_micro });
  if (end.charge_micro !== charge_micro) throw new CannotBeKept(`only ${end.charge_micro} micro units can be charged`);
  request.end = { ...end, operator_loss_micro: loss_micro };
}

function heldRequest(working: WorkingSet, request_id: string): RequestState {
  const request = working.requests.get(request_id);
  if (!request) throw new CannotBeKept("its request is not there");
  if (request.status !== "held") throw new CannotBeKept(`its request is ${request.status} already`);
  return request;
}
