import type { RecoverOp } from "./book-op.ts";
import { endWithCharge, endWithoutCharge } from "./end-hold.ts";
import { readProgress } from "./row-json.ts";
import type { WorkingSet } from "./working-set.ts";

export type RecoveryResult = { readonly outcome: "settled" | "voided" | "left" };

/**
 * Ends a hold that its process left behind (docs/rulings.md 43). It is charged with the progress that was recorded of the
 * request. Without a progress nobody knows what the vendor charged: the hold is voided and booked as the operator's
 * loss (docs/rulings.md 92).
 */
export function decideRecovery(working: WorkingSet, op: RecoverOp): RecoveryResult {
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
