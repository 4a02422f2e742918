import type { Outcome, RequestRecord, SettleOp, VoidOp } from "../../core/ledger/ledger.ts";
import { type Micro, micro } from "../../core/money/money.ts";
import { withoutServed } from "../../core/money/usage.ts";

/** The fields that the receipt of a late end shows in place of the recovery's (docs/rulings.md 146). */
type LateOutcome = Pick<
  RequestRecord,
  | "status"
  | "usage"
  | "estimated"
  | "charge_micro"
  | "operator_loss_micro"
  | "upstream_cost_micro"
  | "attempts"
  | "queue_ms"
  | "first_byte_ms"
  | "duration_ms"
> &
  Pick<Outcome, "error">;

interface Amounts {
  readonly charge_micro: Micro;
  readonly operator_loss_micro: Micro;
}

/** The outcome as JSON. Amounts are texts, because JSON has no integers of that size. */
export function lateOutcomeText(op: SettleOp | VoidOp, amounts: Amounts): string {
  const { upstream_cost_micro, answer_digest: _, ...outcome } = op.outcome;
  return JSON.stringify({
    ...outcome,
    charge_micro: amounts.charge_micro.toString(),
    operator_loss_micro: amounts.operator_loss_micro.toString(),
    upstream_cost_micro: upstream_cost_micro?.toString() ?? null,
    ...(op.op === "settle"
      ? { status: "settled", estimated: op.estimated, usage: withoutServed(op.usage) }
      : { status: "voided", estimated: false, usage: null }),
  });
}

type AmountName = "charge_micro" | "operator_loss_micro" | "upstream_cost_micro";

export function readLateOutcome(text: string): LateOutcome {
  const written: Omit<LateOutcome, AmountName> & {
    readonly charge_micro: string;
    readonly operator_loss_micro: string;
    readonly upstream_cost_micro: string | null;
  } = JSON.parse(text);
  return {
    ...written,
    charge_micro: micro(BigInt(written.charge_micro)),
    operator_loss_micro: micro(BigInt(written.operator_loss_micro)),
    upstream_cost_micro: written.upstream_cost_micro === null ? null : micro(BigInt(written.upstream_cost_micro)),
  };
}

const NOTE_BEGIN = "late end of ";

/** The note of a late end's correction (docs/rulings.md 146). It names the request for as long as the entry stays, which is for ever. */
export function lateNote(request_id: string): string {
  return NOTE_BEGIN + request_id;
}

/** The request that a correction of the gateway's own is booked for; null where the note names none. */
export function requestOfLateNote(note: string): string | null {
  return note.startsWith(NOTE_BEGIN) ? note.slice(NOTE_BEGIN.length) : null;
}
