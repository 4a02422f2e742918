import { expect, test } from "bun:test";
import type { AdmitOp, LedgerOp } from "../../core/ledger.ts";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money.ts";
import { toBookOp } from "../batch/to-book-op.ts";
import { PRICE, settleOp } from "../suite/books.ts";
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
  expect(first.ops).toEqual(ops.map(toBookOp));
  const second = send(ops);
  expect(second.ops).toEqual(ops.map(toBookOp));
  expect(second.bytes).toBeLessThan(first.bytes - JSON.stringify(PRICE).length);
});

test("more texts than the threads remember arrive all the same", () => {
  const send = crossing();
  for (let batch = 0; batch < 40; batch += 1) {
    const ops = Array.from({ length: 100 }, (_, index) =>
      admitOp({ account_id: `acct_${batch}_${index}`, key_id: `key_${index}`, requested_model: `model ${batch}` }),
    );
    ops.push(...Array.from({ length: 100 }, (_, index) => admitOp({ model: `acme/${batch}-${index}` })));
    expect(send(ops).ops).toEqual(ops.map(toBookOp));
  }
});
