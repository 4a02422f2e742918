import { expect, test } from "bun:test";
import { GatewayError } from "../core/errors.ts";
import type { AdmitOp, ChargeOp, LedgerOp, LedgerResult, SettleOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import { StoreUnavailable } from "../core/store-errors.ts";
import { PRICE } from "../store/suite/books.ts";
import { bookedResult } from "./booking.ts";
import { createLedger } from "./ledger.ts";

/** Requests that one commit admits and charges: both take place or neither, whatever is known of the commit. */

const OUTCOME = { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 0 };

function chargeOp(request_id: string): ChargeOp {
  const model = { model: "m", price: PRICE };
  const admit: AdmitOp = {
    ...{ ...model, op: "admit", request_id, client_request_id: null, account_id: "a", key_id: "k", key_version: 1 },
    ...{ endpoint: "messages", stream: false, requested_model: "m", hold_micro: micro(7), bound_tokens: 1 },
    ...{ rpm: null, tpm: null, concurrent: null, budget: null, node_id: "n", ttl_ms: 1, idempotency: null },
  };
  const settle: SettleOp = {
    ...{ ...model, op: "settle", request_id, usage: NO_USAGE, charge_micro: micro(7), estimated: false },
    ...{ outcome: OUTCOME, success: true, answer: null },
  };
  return { op: "charge", admit, settle };
}

type Commit = "fine" | "lost, and took place" | "lost, and did not" | "refused";

/** Books of one commit after the other, which keep who was charged and refuse the request `poor`. */
function booksOf(commits: Commit[]) {
  const charged: string[] = [];
  const sizes: number[] = [];
  const decide = (op: LedgerOp, admitted: Set<string>): LedgerResult => {
    const { request_id } = op as AdmitOp | SettleOp;
    if (op.op === "admit") {
      const rate = { requests: null, tokens: null };
      if (request_id === "poor") return { outcome: "insufficient_balance", balance_micro: micro(0), rate };
      if (charged.includes(request_id)) throw new Error(`${request_id} is admitted already`);
      admitted.add(request_id);
      return { outcome: "admitted", rate };
    }
    if (op.op !== "settle") return { outcome: "unknown_request" };
    if (charged.includes(request_id)) return { outcome: "already_ended", status: "settled" };
    if (!admitted.has(request_id)) return { outcome: "unknown_request" };
    charged.push(request_id);
    return { outcome: "settled", charge_micro: op.charge_micro, operator_loss_micro: micro(0) };
  };
  const commit = async (ops: readonly LedgerOp[]): Promise<LedgerResult[]> => {
    sizes.push(ops.length);
    const how = commits.shift() ?? "fine";
    if (how === "refused") throw new StoreUnavailable("unreachable", "the disk is full", { nothing_happened: true });
    if (how === "lost, and did not") throw new Error("connection lost");
    const admitted = new Set<string>();
    const results = ops.map((op) => decide(op, admitted));
    if (how !== "fine") throw new Error("connection lost");
    return results;
  };
  const ledger = createLedger({ store: { commit }, retry_min_ms: 1, retry_max_ms: 1 });
  const ask = async (request_id: string): Promise<string> => {
    try {
      const result = await bookedResult(ledger.charge(chargeOp(request_id)));
      return result.outcome === "admitted" ? result.settlement.outcome : result.outcome;
    } catch (thrown) {
      return thrown instanceof GatewayError ? thrown.code : String(thrown);
    }
  };
  return { charged, sizes, ask, ledger };
}

test.each<[string, Commit[], string, number[]]>([
  ["one commit admits and charges", ["fine"], "settled", [2]],
  ["a commit that took place though its answer was lost is found", ["lost, and took place"], "settled", [2, 1]],
  ["one that did not is made again", ["lost, and did not"], "settled", [2, 1, 2]],
  [
    "however often",
    ["lost, and did not", "lost, and did not", "fine", "lost, and took place"],
    "settled",
    [2, 1, 1, 2, 1],
  ],
  ["where nothing took place for sure it is refused at once", ["refused"], "model_unavailable", [2]],
])("%s", async (_, commits, told, sizes) => {
  const books = booksOf(commits);
  expect(await books.ask("hit")).toBe(told);
  await books.ledger.drain();
  expect([books.charged, books.sizes]).toEqual([told === "settled" ? ["hit"] : [], sizes]);
});

test("a request that is refused is not charged, and others of its commit are", async () => {
  const { ask, charged } = booksOf([]);
  expect(await Promise.all([ask("one"), ask("poor"), ask("two")])).toEqual([
    "settled",
    "insufficient_balance",
    "settled",
  ]);
  expect(charged).toEqual(["one", "two"]);
});

test("after half a minute of not knowing the request is refused, and undone where it is there after all", async () => {
  const seen: string[] = [];
  const commit = async (ops: readonly LedgerOp[]): Promise<LedgerResult[]> => {
    seen.push(ops.map(({ op }) => op).join(" "));
    if (seen.length < 3) throw new Error("connection lost");
    return ops.map(() => ({ outcome: "unknown_request" }));
  };
  const clock = { now_ms: () => 0, monotonic_ms: () => seen.length * 20_000 };
  const ledger = createLedger({ store: { commit }, clock, retry_min_ms: 1, retry_max_ms: 1 });
  await expect(bookedResult(ledger.charge(chargeOp("hit")))).rejects.toMatchObject({ code: "model_unavailable" });
  await ledger.drain();
  expect(seen).toEqual(["admit settle", "settle", "void"]);
  expect(ledger.wasRefused("hit")).toBe(true);
});
