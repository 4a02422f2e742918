import { costOf } from "../cost.ts";
import type { ClientCall, RoundHistory, VendorCall } from "../history.ts";
import { modelOf } from "../models.ts";
import { diedDuring, indexOf, type RoundIndex } from "./ledger-index.ts";

/** What a round cost at the vendors, what was charged, and why the rest is the operator's loss, in micro units. */
export interface Losses {
  /** What the vendors counted for whole answers. */
  readonly billed_micro: number;
  readonly charged_micro: number;
  /** Reason → what whole answers cost beyond their charges. */
  readonly by_reason: ReadonlyMap<string, number>;
}

export function lossesOf(history: RoundHistory): Losses {
  const index = indexOf(history);
  const by_reason = new Map<string, number>();
  let billed_micro = 0;
  for (const call of history.calls) {
    // A repeat shares the prompt, the vendor's answer and the charge of the call that it repeats.
    if (call.id !== call.prompt_id) continue;
    const cost_micro = (index.asked.get(call.id) ?? []).reduce((sum, answer) => sum + billOf(answer), 0);
    billed_micro += cost_micro;
    const loss_micro = cost_micro - chargedFor(index, call);
    if (loss_micro <= 0) continue;
    const reason = reasonFor(index, call);
    by_reason.set(reason, (by_reason.get(reason) ?? 0) + loss_micro);
  }
  const receipts = history.accounts.flatMap((account) => account.receipts);
  return { billed_micro, charged_micro: receipts.reduce((sum, { charge_micro }) => sum + charge_micro, 0), by_reason };
}

function billOf({ delivered, usage }: VendorCall): number {
  return delivered === "whole" && usage !== null ? costOf(usage) : 0;
}

function chargedFor({ history, receipts_by_call }: RoundIndex, { id, idempotency_key }: ClientCall): number {
  const same = idempotency_key === null ? [{ id }] : history.calls.filter(({ prompt_id }) => prompt_id === id);
  const receipts = same.flatMap((call) => receipts_by_call.get(call.id) ?? []);
  return receipts.reduce((sum, { charge_micro }) => sum + charge_micro, 0);
}

function reasonFor(index: RoundIndex, call: ClientCall): string {
  if (index.history.told_loss) return "a damaged log, which the gateway told of";
  if (diedDuring(index, call)) return "a process died";
  if (call.ending === "left") return "the client left";
  if (call.ending === "refused") return "the answer was withheld";
  if (modelOf(call.model)?.lie != null) return "the vendor told no true usage";
  return call.ending === "whole" ? "other" : "the answer broke off";
}
