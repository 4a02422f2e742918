import { expect, test } from "bun:test";
import type { Attempt, RequestRecord } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import { type ReceiptReader, receiptObject } from "./receipt.ts";

const RECORD: RequestRecord = {
  id: "req_1",
  client_request_id: "mine",
  account_id: "acct_1",
  key_id: "key_1",
  project_id: null,
  tags: { team: "search", run: "7" },
  tags_counted: { team: "search", run: "(other)" },
  endpoint: "responses",
  stream: true,
  requested_model: "fast",
  model: "acme/swift",
  status: "settled",
  outcome: "answered",
  error: null,
  usage: { input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 4, reasoning_tokens: 1 },
  estimated: false,
  late: false,
  price: {
    version: "v1",
    from_ms: 99,
    input_micro_per_mtok: 1,
    output_micro_per_mtok: 2,
    cache_read_micro_per_mtok: 3,
    cache_write_micro_per_mtok: 4,
    tiers: [
      {
        above_input_tokens: 200_000,
        input_micro_per_mtok: 5,
        output_micro_per_mtok: 6,
        cache_read_micro_per_mtok: 7,
        cache_write_micro_per_mtok: 8,
      },
    ],
  },
  hold_micro: micro(100),
  extended_micro: micro(0),
  upstream_cost_micro: micro(12),
  charge_micro: micro(40),
  operator_loss_micro: micro(0),
  attempts: [{ vendor: "acme", upstream_model: "swift-1", status: 200, error: null, first_byte_ms: 5, duration_ms: 9 }],
  created_ms: 1_700_000_000_999,
  ended_ms: 1_700_000_001_999,
  queue_ms: 1,
  hook_ms: 2,
  first_byte_ms: 6,
  duration_ms: 10,
};

test("a receipt shows what docs/api.md 2.11 lists, and nothing of the account or the node", () => {
  const { price, account_id: _account, created_ms: _created, ended_ms: _ended, extended_micro: _, ...rest } = RECORD;
  // The outcome in words is the console's.
  const { outcome: _outcome, ...shown } = rest;
  const { from_ms: _from, ...public_price } = price;
  expect<unknown>(receiptObject(RECORD, "USD")).toEqual({
    ...shown,
    object: "request",
    created: 1_700_000_000,
    currency: "USD",
    price: public_price,
    hold_micro: 100,
    charge_micro: 40,
    operator_loss_micro: 0,
    upstream_cost_micro: 12,
    attempts: [{ ...RECORD.attempts[0], started_ms: 1, said: null }],
  });
});

test("the account reads a vendor's sentence; only administrators read what it says about the gateway's own account", () => {
  const failed = { ...RECORD.attempts[0], started_ms: 3, said: "No." } as Attempt;
  const record = { ...RECORD, attempts: [failed, { ...failed, said_to_operator: true as const }] };
  const said = (reader: ReceiptReader) => receiptObject(record, "USD", reader).attempts.map((each) => each.said);
  expect(said("account")).toEqual(["No.", null]);
  expect(said("operator")).toEqual(["No.", "No."]);
  expect(JSON.stringify(receiptObject(record, "USD"))).not.toContain("said_to");
});

test("a receipt of a request that is not charged has no usage", () => {
  const unpaid = {
    ...RECORD,
    status: "voided",
    usage: null,
    error: "provider_error",
    upstream_cost_micro: null,
  } as const;
  const receipt = receiptObject(unpaid, "USD");
  expect(receipt).toMatchObject({ status: "voided", usage: null, error: "provider_error", upstream_cost_micro: null });
});

test("a receipt shows parts, calls and the price list of what was asked for, and what nobody priced", () => {
  const rare: RequestRecord = {
    ...RECORD,
    usage: {
      ...{ input_tokens: 9, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 4, reasoning_tokens: 1 },
      extra: { parts: { input_audio: 4 }, calls: { web_search: 2, x_search: 1 }, unpriced: ["hologram_tokens"] },
    },
    price: {
      ...RECORD.price,
      variant: "service_tier=flex",
      parts_micro_per_mtok: { input_audio: 7 },
      calls_micro_per_kcall: { web_search: 9 },
    },
  };
  expect(receiptObject(rare, "USD")).toMatchObject({
    usage: {
      input_tokens: 9,
      parts: { input_audio: 4 },
      calls: { web_search: 2, x_search: 1 },
      unpriced: ["x_search", "hologram_tokens"],
    },
    price: {
      variant: "service_tier=flex",
      parts_micro_per_mtok: { input_audio: 7 },
      calls_micro_per_kcall: { web_search: 9 },
    },
  });
});

test("a receipt of a request without tags has none, and counts nothing otherwise", () => {
  const { tags: _tags, tags_counted: _counted, ...record } = RECORD;
  const shown = receiptObject(record, "USD");
  expect(shown.tags).toEqual({});
  expect(shown).not.toHaveProperty("tags_counted");
});
