import { describe, expect, test } from "bun:test";
import type { AdmitOp, LedgerOp, LedgerResult, SettleOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import { StoreUnavailable } from "../core/store-errors.ts";
import { bookedResult } from "./booking.ts";
import { createLedger, type LedgerOptions } from "./ledger.ts";
import { SparseErrors } from "./sparse-errors.ts";

const PRICE = {
  ...{ version: "v", from_ms: 0, tiers: [], input_micro_per_mtok: 1, output_micro_per_mtok: 1 },
  ...{ cache_read_micro_per_mtok: 1, cache_write_micro_per_mtok: 1 },
};
const OUTCOME = { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 0 };

function admit(account_id: string, request_id: string): AdmitOp {
  return {
    ...{ op: "admit", request_id, client_request_id: null, account_id, key_id: "key_1", key_version: 1 },
    ...{ endpoint: "messages", stream: false, requested_model: "m", model: "m", price: PRICE, hold_micro: micro(1) },
    ...{ bound_tokens: 1, rpm: null, tpm: null, concurrent: null, budget: null, node_id: "n", ttl_ms: 1 },
    idempotency: null,
  };
}

function settle(account_id: string, request_id: string): SettleOp {
  const spent = { model: "m", price: PRICE, usage: NO_USAGE, charge_micro: micro(1) };
  return {
    ...{ op: "settle", request_id, account_id, ...spent, estimated: false, outcome: OUTCOME },
    ...{ success: true, answer: null },
  };
}

const nameOf = (op: LedgerOp): string => ("request_id" in op ? `${op.op} ${op.request_id}` : op.op);

function resultOf(op: LedgerOp): LedgerResult {
  if (op.op === "settle") return { outcome: "settled", charge_micro: op.charge_micro, operator_loss_micro: micro(0) };
  if (op.op === "void") return { outcome: "voided" };
  return { outcome: "admitted", rate: { requests: null, tokens: null } };
}

/** A store whose commits end when the test says so, by the account that they are for. */
function heldStore(options: Partial<LedgerOptions> = {}) {
  const open = new Map<string, { ops: readonly LedgerOp[]; end: (failure?: Error) => void }>();
  const asked: string[][] = [];
  const store = {
    by_account: true,
    commit: (ops: readonly LedgerOp[]) =>
      new Promise<LedgerResult[]>((resolve, reject) => {
        const accounts = new Set(ops.map(({ account_id }) => account_id ?? ""));
        expect(accounts.size).toBe(1);
        asked.push(ops.map(nameOf));
        const end = (failure?: Error): void => (failure ? reject(failure) : resolve(ops.map(resultOf)));
        open.set([...accounts].join(), { ops, end });
      }),
  };
  const end = async (account_id: string, failure?: Error): Promise<string[]> => {
    while (!open.has(account_id)) await Bun.sleep(1);
    const commit = open.get(account_id);
    open.delete(account_id);
    commit?.end(failure);
    return commit?.ops.map(nameOf) ?? [];
  };
  return { ledger: createLedger({ store, retry_min_ms: 1, retry_max_ms: 1, ...options }), asked, end, open };
}

const unsure = (): Error => new StoreUnavailable("silent", "no answer", { nothing_happened: false });

describe("a ledger whose store keeps accounts apart", () => {
  test("commits each account's operations in their order, whatever other accounts wait for", async () => {
    const { ledger, end } = heldStore();
    const slow = bookedResult(ledger.admit(admit("slow", "s1")));
    const first = bookedResult(ledger.admit(admit("quick", "q1")));
    ledger.countRefusal({ op: "count-refusal", account_id: "quick", key_id: "k", model: null, rpm: null });
    expect(ledger.pending).toBe(3);
    expect(await end("quick")).toEqual(["admit q1", "count-refusal"]);
    expect(await first).toMatchObject({ outcome: "admitted" });
    const second = [
      bookedResult(ledger.settle(settle("quick", "q1"))),
      bookedResult(ledger.admit(admit("quick", "q2"))),
    ];
    expect(await end("quick")).toEqual(["settle q1", "admit q2"]);
    expect(await Promise.all(second)).toMatchObject([{ outcome: "settled" }, { outcome: "admitted" }]);
    expect([...ledger.unbookedRequests()]).toEqual(["s1"]);
    expect(await end("slow")).toEqual(["admit s1"]);
    expect(await slow).toMatchObject({ outcome: "admitted" });
    await ledger.drain();
    expect(ledger.pending).toBe(0);
  });

  test("refuses and undoes the admissions of an account whose commit is lost, and no other's", async () => {
    const { ledger, end } = heldStore();
    const lost = bookedResult(ledger.admit(admit("lost", "l1"))).catch((thrown: unknown) => thrown);
    const fine = bookedResult(ledger.admit(admit("fine", "f1")));
    await end("lost", unsure());
    expect(await lost).toMatchObject({ code: "model_unavailable" });
    expect(ledger.wasRefused("l1")).toBe(true);
    await end("fine");
    expect(await fine).toMatchObject({ outcome: "admitted" });
    // It is undone in the queue of its account, and its end is remembered by all of them.
    expect(await end("lost")).toEqual(["void l1"]);
    await ledger.drain();
    expect(ledger.wasRefused("l1")).toBe(false);
  });

  test("keeps what ends a hold until it is booked, and takes no more admissions than it may", async () => {
    const { ledger, end } = heldStore({ max_queue: 2 });
    const ended = bookedResult(ledger.settle(settle("a", "a1")));
    await end("a", unsure());
    const other = bookedResult(ledger.admit(admit("b", "b1")));
    expect(() => ledger.admit(admit("c", "c1"))).toThrow("overloaded");
    expect(await end("a")).toEqual(["settle a1"]);
    expect(await ended).toMatchObject({ outcome: "settled" });
    await end("b");
    await other;
    await ledger.drain();
  });
});

test("errors that come in crowds are a line a second, which says how many were left out", () => {
  let now_ms = 0;
  const lines: unknown[] = [];
  const log = { error: (fields: unknown) => void lines.push(fields) };
  const errors = new SparseErrors(log as never, { monotonic_ms: () => now_ms });
  for (const at_ms of [0, 10, 999, 1000, 2500]) {
    now_ms = at_ms;
    errors.error({ at_ms }, "failed");
  }
  expect(lines).toEqual([{ at_ms: 0 }, { at_ms: 1000, left_out: 2 }, { at_ms: 2500 }]);
});
