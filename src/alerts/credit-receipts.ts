import { MS_PER_DAY } from "../core/clock.ts";
import type { NewDelivery } from "../core/deliveries/deliveries.ts";
import type { CreditReceipt, EntryRecord } from "../core/ledger/entries.ts";
import { toJsonNumber } from "../core/money/money.ts";
import { eventBody } from "./alert-event.ts";
import { RECEIPT_TYPE } from "./alert-types.ts";

/** The mails that tell of a credit, under ids of the entry's own: put down again, each is there once (docs/rulings.md 225). */
export function creditReceipts(entry: EntryRecord, { account_name, currency, owners }: CreditReceipt): NewDelivery[] {
  const data = {
    ...{ account: entry.account_id, account_name, entry: entry.id, currency, note: entry.note },
    amount_micro: toJsonNumber(entry.amount_micro),
    balance_micro: toJsonNumber(entry.posted_after_micro),
  };
  const body = eventBody({ type: RECEIPT_TYPE, timestamp: new Date(entry.created_ms).toISOString(), data });
  return owners.map((user_id) => ({
    ...{ id: `dlv_${entry.id}_${user_id}`, kind: "alert", channel: "mail", recipient: user_id },
    ...{ account_id: entry.account_id, type: RECEIPT_TYPE, body, asked_from: null, ttl_ms: MS_PER_DAY },
  }));
}
