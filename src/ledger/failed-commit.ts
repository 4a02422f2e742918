import { GatewayError } from "../core/errors.ts";
import type { AdmitOp, VoidOp } from "../core/ledger/ledger.ts";
import { ZERO } from "../core/money/money.ts";
import type { Booking } from "./booking.ts";

/** What becomes of operations whose commit has failed: who is refused, what goes on waiting, and what is booked in its place. */

interface Failure {
  /** Monotonic. */
  readonly now_ms: number;
  /** After so long a caller is told that its operation cannot be booked. */
  readonly give_up_ms: number;
  readonly cause: unknown;
}

/** Whether an operation outlives a failed commit. Refuses it when it does not, or when its caller has waited too long. */
export function staysQueued(booking: Booking, { now_ms, give_up_ms, cause }: Failure): boolean {
  switch (booking.op.op) {
    case "admit":
      booking.refuse(unreachable(cause));
      return false;
    case "progress":
      booking.refuse(unbookable(cause));
      return false;
    case "charge":
      if (booking.is_unsure && now_ms - booking.since_ms < give_up_ms) return true;
      booking.refuse(unreachable(cause));
      return false;
    case "extend":
    case "settle":
    case "void":
    case "count-refusal":
      if (now_ms - booking.since_ms < give_up_ms) return true;
      booking.refuse(unbookable(cause));
      return booking.op.op !== "extend";
  }
}

/**
 * The operation that is booked in place of one whose caller was refused: an answer that was withheld whole is not charged
 * (docs/rulings.md 159). What it cost is the operator's loss. Null where the operation stays what it is.
 */
export function withheldFree({ op, is_decided }: Booking): VoidOp | null {
  if (op.op !== "settle" || op.free_if_withheld !== true || !is_decided) return null;
  const { request_id, charge_micro } = op;
  const outcome = { ...op.outcome, error: "internal_error" } as const;
  return {
    ...{ op: "void", request_id, outcome, operator_loss_micro: charge_micro },
    ...(op.account_id !== undefined && { account_id: op.account_id }),
  };
}

/**
 * Ends the hold of an admission that was refused because its commit failed, if it is there after all. Nobody waits for it. A
 * commit that was on its way when its connection was lost may arrive even later: the sweep ends that hold.
 */
export function undoing(admit: AdmitOp): VoidOp {
  return {
    op: "void",
    request_id: admit.request_id,
    account_id: admit.account_id,
    outcome: { attempts: [], error: "model_unavailable", queue_ms: 0, first_byte_ms: null, duration_ms: 0 },
    operator_loss_micro: ZERO,
  };
}

function unreachable(cause: unknown): GatewayError {
  return new GatewayError("model_unavailable", "The gateway's ledger cannot be reached. Try again in a moment.", {
    retry_after_ms: 1000,
    cause,
  });
}

export function unrecordable(cause: unknown): GatewayError {
  return new GatewayError("internal_error", "The gateway's ledger cannot record this request.", { cause });
}

export function unbookable(cause: unknown): GatewayError {
  return new GatewayError("db_error", "The gateway's ledger cannot be written at the moment.", { cause });
}
