import type {
  AdmitResult,
  ChargeOp,
  ChargeResult,
  LedgerOp,
  LedgerResult,
  SettleResult,
} from "../core/ledger/ledger.ts";
import { ZERO } from "../core/money/money.ts";
import type { Booking, QueuedResult } from "./booking.ts";

/**
 * Charges with their admissions, as the store takes them: two operations of one commit, so that both take place or neither. Where nobody knows whether
 * a commit took place, the books are asked by the settlement alone, which finds the request or changes nothing; the caller waits meanwhile.
 */

/** The operations of a batch as the store commits them. */
export function storedOps(batch: readonly Booking[]): readonly LedgerOp[] {
  const ops: LedgerOp[] = [];
  for (const { op, is_unsure } of batch) {
    if (op.op !== "charge") ops.push(op);
    else if (is_unsure) ops.push(op.settle);
    else ops.push(op.admit, op.settle);
  }
  return ops;
}

/** The results of a batch's operations; null for a charge that has not taken place and is to be committed again. */
export function resultsOf(
  batch: readonly Booking[],
  results: readonly LedgerResult[],
): readonly (QueuedResult | null)[] {
  let next = 0;
  const taken = batch.map(({ op, is_unsure }): QueuedResult | null => {
    const result = results[next++] as LedgerResult;
    if (op.op !== "charge") return result;
    if (is_unsure) return foundAgain(op, result as SettleResult);
    return charged(result as AdmitResult, results[next++] as SettleResult);
  });
  if (next !== results.length) throw new Error(`the store answered ${next} operations with ${results.length} results`);
  return taken;
}

function charged(admission: AdmitResult, settlement: SettleResult): ChargeResult {
  return admission.outcome === "admitted" ? { outcome: "admitted", rate: admission.rate, settlement } : admission;
}

function foundAgain({ settle: { charge_micro } }: ChargeOp, { outcome }: SettleResult): ChargeResult | null {
  if (outcome === "unknown_request") return null;
  const settlement = { outcome: "settled", charge_micro, operator_loss_micro: ZERO } as const;
  return { outcome: "admitted", rate: { requests: null, tokens: null }, settlement };
}
