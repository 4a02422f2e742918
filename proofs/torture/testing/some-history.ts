import type { AccountBook, BookEntry, ClientCall, Receipt, RoundHistory, VendorCall } from "../history.ts";

/** A sound history of three calls of one account, for tests to doctor: a whole answer, one that was left, a refusal. */

const USAGE = { input: 10, cache_read: 0, cache_write: 0, output: 5, reasoning: 0 };

export function someCall(id: string, more: Partial<ClientCall> = {}): ClientCall {
  return {
    id,
    prompt_id: id,
    node: 0,
    account: "acc_1",
    key: "key_1",
    endpoint: "chat.completions",
    model: "acme/quick",
    stream: false,
    idempotency_key: null,
    began_ms: 1_000,
    ended_ms: 1_100,
    ending: "whole",
    status: 200,
    request_id: `req_${id}`,
    replayed: false,
    text: `${id} word`,
    output_tokens: 5,
    error: null,
    ...more,
  };
}

export function someReceipt(call_id: string, more: Partial<Receipt> = {}): Receipt {
  return {
    id: `req_${call_id}`,
    client_request_id: call_id,
    key_id: "key_1",
    model: "acme/quick",
    status: "settled",
    error: null,
    usage: { input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 5, reasoning_tokens: 0 },
    estimated: false,
    hold_micro: 100,
    charge_micro: 30,
    operator_loss_micro: 0,
    created_at: "2026-11-22T10:00:00Z",
    ...more,
  };
}

export function someAnswer(call_id: string, more: Partial<VendorCall> = {}): VendorCall {
  return {
    call_id,
    upstream_model: "echo",
    status: 200,
    delivered: "whole",
    usage: USAGE,
    reporting: "true",
    ...more,
  };
}

export function someCharge(call_id: string, amount_micro = -30): BookEntry {
  return { id: `ent_${call_id}`, kind: "charge", amount_micro, request: `req_${call_id}` };
}

export function someAccount(more: Partial<AccountBook> = {}): AccountBook {
  return {
    id: "acc_1",
    credited_micro: 1_000,
    balance_micro: 940,
    uncollected_micro: 0,
    receipts: [
      someReceipt("whole"),
      someReceipt("left", { estimated: true }),
      someReceipt("refused", { status: "voided", usage: null, charge_micro: 0 }),
    ],
    entries: [
      { id: "ent_0", kind: "credit", amount_micro: 1_000, request: null },
      someCharge("whole"),
      someCharge("left"),
    ],
    budgets: new Map([["key_1", 60]]),
    ...more,
  };
}

export function someHistory(more: Partial<RoundHistory> = {}): RoundHistory {
  return {
    calls: [
      someCall("whole"),
      someCall("left", { ending: "left", stream: true, output_tokens: null }),
      someCall("refused", { ending: "refused", status: 502, text: "", output_tokens: null }),
    ],
    vendor: [
      someAnswer("whole"),
      someAnswer("left", { delivered: "part" }),
      someAnswer("refused", { status: 500, delivered: "none", usage: null }),
    ],
    accounts: [someAccount()],
    deaths: [],
    told_loss: false,
    audit: [],
    ...more,
  };
}
