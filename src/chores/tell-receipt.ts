import { eventBody } from "../alerts/alert-event.ts";
import { RECEIPT_TYPE } from "../alerts/alert-types.ts";
import { MS_PER_DAY } from "../core/clock.ts";
import type { DeliveryStore } from "../core/deliveries/delivery-store.ts";
import type { EntryRecord } from "../core/ledger/entries.ts";
import { toJsonNumber } from "../core/money/money.ts";
import type { UserStore } from "../core/people/users.ts";
import type { AccountRecord } from "../core/store/ports.ts";
import { FIRST_ADMINISTRATOR } from "../people/links/first-administrator.ts";

export interface Receipt {
  readonly account: Pick<AccountRecord, "id" | "name" | "email">;
  readonly entry: EntryRecord;
  readonly currency: string;
}

interface ReceiptParts {
  readonly users: Pick<UserStore, "listMembers">;
  readonly deliveries: Pick<DeliveryStore, "addDelivery">;
}

/** Puts down a mail to each owner of an account whose credit has grown (docs/rulings.md 225). Told again of one entry, it is put down once. */
export async function tellReceipt({ users, deliveries }: ReceiptParts, { account, entry, currency }: Receipt) {
  const data = {
    ...{
      account: account.id,
      account_name: account.name || account.email,
      entry: entry.id,
      currency,
      note: entry.note,
    },
    amount_micro: toJsonNumber(entry.amount_micro),
    balance_micro: toJsonNumber(entry.posted_after_micro),
  };
  const body = eventBody({ type: RECEIPT_TYPE, timestamp: new Date(entry.created_ms).toISOString(), data });
  for (const { user_id, email, role, status } of await users.listMembers(account.id)) {
    if (role !== "owner" || status !== "active" || email === FIRST_ADMINISTRATOR.email) continue;
    await deliveries.addDelivery({
      ...{ id: `dlv_${entry.id}_${user_id}`, kind: "alert", channel: "mail", recipient: user_id },
      ...{ account_id: account.id, type: RECEIPT_TYPE, body, asked_from: null, ttl_ms: MS_PER_DAY },
    });
  }
}
