import { expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { AdmitOp, LedgerOp } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import { priceText } from "../../ledger/books/row-json.ts";
import { OUTCOME, PRICE, settleOp } from "../suite/books.ts";
import { BatchPacker, BatchUnpacker, type PackedBatch } from "./pack-op.ts";

function admitOp(fields: Partial<AdmitOp>): AdmitOp {
  return {
    op: "admit",
    request_id: newId("req"),
    client_request_id: "mine",
    account_id: "acct_1",
    key_id: "key_1",
    key_version: 3,
    endpoint: "chat.completions",
    stream: true,
    requested_model: "swift",
    model: "acme/swift",
    price: PRICE,
    hold_micro: micro(2n ** 60n),
    bound_tokens: 50,
    rpm: 1,
    tpm: null,
    concurrent: 2,
    budget: { amount_micro: micro(7), window: "week" },
    node_id: "node_1",
    ttl_ms: 60_000,
    idempotency: { key: "k", fingerprint: "f" },
    ...fields,
  };
}

const TAG_RULE: AppliedRule = {
  ...{ rule: "account tag customer", value: "big corp", rpm: null, tpm: null, concurrent: 3 },
  budget: { amount_micro: micro(2n ** 60n), window: "once" },
};

/** Operations with the members that few have. */
function whole(ops: readonly LedgerOp[]) {
  return ops.map((op) => {
    if (op.op !== "admit") return op;
    const { allowance = null, tags = null, rules = null, tag_rules = null } = op;
    return { ...op, allowance, tags, rules, tag_rules };
  });
}

/** Sends a batch through its text, as to a thread. */
function crossing() {
  const packer = new BatchPacker();
  const unpacker = new BatchUnpacker();
  return (ops: readonly LedgerOp[]) => {
    const text = JSON.stringify(packer.pack(ops));
    return { ops: unpacker.unpack(JSON.parse(text) as PackedBatch), bytes: text.length };
  };
}

test("a batch arrives as it was sent, and texts that it repeats are sent once", () => {
  const send = crossing();
  const ops = [admitOp({}), settleOp("req_1"), admitOp({ budget: null, idempotency: null }), settleOp("req_2")];
  const first = send(ops);
  expect(first.ops).toEqual(whole(ops));
  const second = send(ops);
  expect(second.ops).toEqual(whole(ops));
  expect(second.bytes).toBeLessThan(first.bytes - priceText(PRICE).length);
});

const EXTRA = { parts: { input_audio: 4 }, calls: { web_search: 2 }, unpriced: ["hologram_tokens"] };
const RARE_PRICE = { ...PRICE, version: "p9", parts_micro_per_mtok: { input_audio: 7 }, variant: "speed=fast" };

test("every kind of operation arrives as it was sent", () => {
  const attempt = {
    vendor: 'acme "north"',
    upstream_model: "swift-1",
    status: 200,
    error: null,
    first_byte_ms: 5,
    duration_ms: 9,
  };
  const failed = { ...attempt, status: null, error: "provider_error" as const, first_byte_ms: null };
  const told = { ...failed, started_ms: 3, said: 'It said "no", [1],{}', said_to_operator: true as const };
  const outcome = {
    ...OUTCOME,
    attempts: [failed, told, { ...attempt, started_ms: 20 }],
    error: "provider_error" as const,
    first_byte_ms: null,
  };
  const calls = [
    { ...attempt, calls: 3, failures: 1 },
    { ...told, calls: 3, failures: 1 },
  ];
  const allowance = {
    ...{ base_micro: micro(2n ** 60n), output_micro_per_mtok: 9 },
    ...{ least_tokens: 1024, most_tokens: 64_000 },
  };
  const ops: LedgerOp[] = [
    admitOp({ allowance, client_request_id: null, idempotency: null }),
    admitOp({ tags: '{"team":"search"}', client_request_id: null, idempotency: null }),
    admitOp({ allowance, tags: '{"team":"search"}' }),
    admitOp({ tag_rules: [TAG_RULE, { ...TAG_RULE, value: "small", budget: null, rpm: 5 }] }),
    admitOp({ allowance, tag_rules: [TAG_RULE] }),
    { op: "extend", request_id: "req_1", add_micro: micro(2n ** 60n) },
    {
      op: "progress",
      request_id: "req_1",
      model: "acme/swift",
      price: PRICE,
      usage: NO_USAGE,
      charge_micro: micro(3),
      ttl_ms: 60_000,
    },
    { op: "count-refusal", account_id: "acct_1", key_id: "key_1", model: null, rpm: 5 },
    { op: "void", request_id: "req_1", operator_loss_micro: micro(2n ** 60n), outcome },
    settleOp("req_2", { outcome }),
    settleOp("req_4", { usage: { ...NO_USAGE, input_tokens: 9, extra: EXTRA }, price: RARE_PRICE }),
    settleOp("req_3", { outcome: { ...OUTCOME, attempts: calls, upstream_cost_micro: micro(2n ** 60n) } }),
  ];
  expect(crossing()(ops).ops).toEqual(whole(ops));
});

test("a batch brings all texts that it uses, so that it can be read without those before it", () => {
  const packer = new BatchPacker();
  const unpacker = new BatchUnpacker();
  const first = JSON.stringify(packer.pack([admitOp({}), settleOp("req_1")]));
  unpacker.unpack(JSON.parse(first) as PackedBatch);
  const ops = [settleOp("req_2"), admitOp({ model: "acme/other" })];
  const second = JSON.parse(JSON.stringify(packer.pack(ops))) as PackedBatch;
  expect(unpacker.unpack(second)).toEqual(whole(ops));
  const alone = new BatchUnpacker().unpack({ texts: unpacker.used, ops: second.ops });
  expect(alone).toEqual(whole(ops));
  // On terms that the first batch sent.
  const third = JSON.parse(JSON.stringify(packer.pack([admitOp({})]))) as PackedBatch;
  expect(third.texts).toEqual([]);
  unpacker.unpack(third);
  const again = new BatchUnpacker().unpack({ texts: unpacker.used, ops: third.ops });
  expect(again).toMatchObject([{ model: "acme/swift", account_id: "acct_1", node_id: "node_1", price: PRICE }]);
});

test("more texts than the threads remember arrive all the same", () => {
  const send = crossing();
  for (let batch = 0; batch < 40; batch += 1) {
    const ops = Array.from({ length: 100 }, (_, index) =>
      admitOp({ account_id: `acct_${batch}_${index}`, key_id: `key_${index}`, requested_model: `model ${batch}` }),
    );
    ops.push(...Array.from({ length: 100 }, (_, index) => admitOp({ model: `acme/${batch}-${index}` })));
    expect(send(ops).ops).toEqual(whole(ops));
  }
});
