import type { Receipt } from "../../contract/requests.ts";
import type { RequestRecord } from "../core/ledger.ts";
import { toJsonNumber } from "../core/money.ts";
import { showPrice } from "./show-price.ts";

/** A request's receipt as the console API shows it (docs/rulings.md 47). */
export function showReceipt(record: RequestRecord, currency: string): Receipt {
  return {
    id: record.id,
    object: "request",
    client_request_id: record.client_request_id,
    created: Math.floor(record.created_ms / 1000),
    endpoint: record.endpoint,
    stream: record.stream,
    account: record.account_id,
    key_id: record.key_id,
    requested_model: record.requested_model,
    model: record.model,
    status: record.status,
    error: record.error,
    usage: record.usage && { ...record.usage },
    estimated: record.estimated,
    price: showPrice(record.price),
    currency,
    hold_micro: toJsonNumber(record.hold_micro),
    charge_micro: toJsonNumber(record.charge_micro),
    operator_loss_micro: toJsonNumber(record.operator_loss_micro),
    attempts: record.attempts.map((attempt) => ({ ...attempt })),
    queue_ms: record.queue_ms,
    first_byte_ms: record.first_byte_ms,
    duration_ms: record.duration_ms,
  };
}
