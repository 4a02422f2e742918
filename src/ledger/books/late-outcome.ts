import type { Attempt, Outcome, RequestRecord } from "../../core/ledger.ts";
import { type Micro, micro } from "../../core/money.ts";
import type { BookSettle, BookVoid } from "./book-op.ts";
import { readExtra } from "./usage-text.ts";

/** The fields that the receipt of a late end shows in place of the recovery's (docs/rulings.md 146). */
export type LateOutcome = Pick<
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
export function lateOutcomeText(op: BookSettle | BookVoid, amounts: Amounts): string {
  const { error, queue_ms, first_byte_ms, duration_ms, upstream_cost_micro } = op;
  return JSON.stringify({
    ...{ error, queue_ms, first_byte_ms, duration_ms },
    charge_micro: amounts.charge_micro.toString(),
    operator_loss_micro: amounts.operator_loss_micro.toString(),
    upstream_cost_micro: upstream_cost_micro?.toString() ?? null,
    attempts: JSON.parse(op.attempts),
    ...(op.op === "settle"
      ? { status: "settled", estimated: op.estimated, usage: usageOf(op) }
      : { status: "voided", estimated: false, usage: null }),
  });
}

function usageOf(op: BookSettle): NonNullable<RequestRecord["usage"]> {
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_extra } = op;
  return {
    ...{ input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens },
    ...(usage_extra !== null && { extra: readExtra(usage_extra) }),
  };
}

type AmountName = "charge_micro" | "operator_loss_micro" | "upstream_cost_micro";

export function readLateOutcome(text: string): LateOutcome {
  const written: Omit<LateOutcome, AmountName | "attempts"> & {
    readonly charge_micro: string;
    readonly operator_loss_micro: string;
    readonly upstream_cost_micro: string | null;
    readonly attempts: readonly Attempt[];
  } = JSON.parse(text);
  return {
    ...written,
    charge_micro: micro(BigInt(written.charge_micro)),
    operator_loss_micro: micro(BigInt(written.operator_loss_micro)),
    upstream_cost_micro: written.upstream_cost_micro === null ? null : micro(BigInt(written.upstream_cost_micro)),
  };
}
