import type { LedgerResult, LimitState, RateState } from "../../core/ledger.ts";
import type { BookResult } from "../batch/commit-batch.ts";
import { type Amount, packAmount, unpackAmount } from "./pack-amount.ts";

/**
 * Results travel back as rows in a JSON text too, where every request has them. A limit is its three numbers; null where
 * there is none.
 */
export type PackedResult = PackedAdmitted | PackedSettled | BookResult;

type PackedLimit = readonly [limit: number | null, remaining: number, reset_ms: number];
type PackedAdmitted = readonly ["admitted", ...requests: PackedLimit, ...tokens: PackedLimit];
type PackedSettled = readonly ["settled", charge_micro: Amount, operator_loss_micro: Amount];

/** Whether a packed result is all that JSON has: no amounts, no stored answer. */
export function isJson(packed: PackedResult): boolean {
  return !("outcome" in packed);
}

export function packResult(result: BookResult): PackedResult {
  if (result.outcome === "admitted") {
    const { requests, tokens } = result.rate;
    return ["admitted", ...packLimit(requests), ...packLimit(tokens)];
  }
  if (result.outcome === "settled" && "charge_micro" in result) {
    return ["settled", packAmount(result.charge_micro), packAmount(result.operator_loss_micro)];
  }
  return result;
}

export function unpackResult(packed: PackedResult): LedgerResult {
  if ("outcome" in packed) return packed as LedgerResult;
  if (packed[0] === "settled") {
    return {
      outcome: "settled",
      charge_micro: unpackAmount(packed[1]),
      operator_loss_micro: unpackAmount(packed[2]),
    };
  }
  const rate: RateState = {
    requests: unpackLimit(packed[1], packed[2], packed[3]),
    tokens: unpackLimit(packed[4], packed[5], packed[6]),
  };
  return { outcome: "admitted", rate };
}

function packLimit(state: LimitState | null): PackedLimit {
  return state === null ? [null, 0, 0] : [state.limit, state.remaining, state.reset_ms];
}

function unpackLimit(limit: number | null, remaining: number, reset_ms: number): LimitState | null {
  return limit === null ? null : { limit, remaining, reset_ms };
}
