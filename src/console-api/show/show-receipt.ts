import type { RefusedRequest as ShownRefused } from "../../../contract/refusals.ts";
import type { Receipt, ReceiptDetail } from "../../../contract/requests.ts";
import type { EntryRecord } from "../../core/ledger/entries.ts";
import type { RequestRecord } from "../../core/ledger/ledger.ts";
import { add, type Micro, toJsonNumber, ZERO } from "../../core/money/money.ts";
import type { RefusedRequest } from "../../core/operations/refusals.ts";
import { chargeLines, exactMicro, tierOf } from "../../ledger/charge-lines.ts";
import { type ReceiptReader, receiptObject, refusedObject } from "../../ledger/receipt.ts";
import { showEntry, showTime } from "./show.ts";

/** The receipt as the account's own clients get it (docs/rulings.md 47), with the account and the time; operators see all that vendors said. */
export function showReceipt(record: RequestRecord, currency: string, reader: ReceiptReader): Receipt {
  return {
    ...receiptObject(record, currency, reader),
    account: record.account_id,
    outcome: record.outcome,
    created_at: showTime(record.created_ms),
    ended_at: record.ended_ms === null ? null : showTime(record.ended_ms),
  };
}

export function showRefused(refused: RefusedRequest): ShownRefused {
  return {
    ...refusedObject(refused),
    account: refused.account_id,
    outcome: "refused",
    created_at: showTime(refused.at_ms),
  };
}

/** The receipt with everything that led to the charge. */
export function showReceiptDetail(
  record: RequestRecord,
  key: ReceiptDetail["key"],
  charge: EntryRecord | null,
  { currency, reader }: { readonly currency: string; readonly reader: ReceiptReader },
): ReceiptDetail {
  const { usage, price } = record;
  const lines = usage === null ? [] : chargeLines(usage, price);
  const cost_micro = lines.reduce<Micro>((total, { amount_micro }) => add(total, amount_micro), ZERO);
  return {
    ...showReceipt(record, currency, reader),
    key,
    extended_micro: toJsonNumber(record.extended_micro),
    lines: lines.map((line) => ({
      class: line.class,
      unit: line.unit,
      count: line.count,
      price_micro: line.price_micro,
      exact_micro: exactMicro(line),
      amount_micro: toJsonNumber(line.amount_micro),
    })),
    tier_above_input_tokens: usage === null ? null : tierOf(usage, price),
    cost_micro: toJsonNumber(cost_micro),
    entry: charge && showEntry(charge),
  };
}
