import type { SettleOp, SettleResult, VoidOp, VoidResult } from "../../core/ledger/ledger.ts";
import { endWithCharge, endWithoutCharge } from "./end-hold.ts";
import { settleLate, voidLate } from "./end-late.ts";
import type { WorkingSet } from "./working-set.ts";

/**
 * Ends a hold with a charge (docs/rulings.md 23). A request that has ended stays as it is; where a recovery ended it, the
 * difference is booked (docs/rulings.md 46, 146).
 */
export function decideSettlement(working: WorkingSet, op: SettleOp): SettleResult {
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
export function decideVoid(working: WorkingSet, op: VoidOp): VoidResult {
  const request = working.requests.get(op.request_id);
  if (!request) return { outcome: "unknown_request" };
  if (request.status !== "held") {
    return voidLate(working, request, op) ?? { outcome: "already_ended", status: request.status };
  }
  endWithoutCharge(working, request, op.operator_loss_micro, op.outcome);
  return { outcome: "voided" };
}
