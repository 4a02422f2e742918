import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { newCustomer, OUTCOME, PRICE, settleOp, type TestDatabase } from "./books.ts";

export function endingSuite(database: () => TestDatabase): void {
  describe("a settlement", () => {
    for (const each of CHARGES) chargeTest(database, each);
    settleTests(database);
    onceTests(database);
    upstreamCostTests(database);
  });
  describe("a void", () => voidTests(database));
  describe("an extension", () => extendTests(database));
}

const CHARGES = [
  { what: "gives back what it did not use", balance: 1000, hold: 100, cost: 40, charge: 40, loss: 0 },
  { what: "may use all of its hold", balance: 1000, hold: 100, cost: 100, charge: 100, loss: 0 },
  {
    what: "never takes more than the hold, and books the rest as the operator's loss",
    balance: 1000,
    hold: 100,
    cost: 300,
    charge: 100,
    loss: 200,
  },
  { what: "may be free", balance: 1000, hold: 100, cost: 0, charge: 0, loss: 0 },
  { what: "of nothing held is possible", balance: 0, hold: 0, cost: 0, charge: 0, loss: 0 },
] as const;

function chargeTest(
  database: () => TestDatabase,
  { what, balance, hold, cost, charge, loss }: (typeof CHARGES)[number],
): void {
  test(what, async () => {
    const customer = await newCustomer(database(), balance);
    const request_id = await customer.hold({ hold_micro: micro(hold) });
    const result = await customer.settle(request_id, { charge_micro: micro(cost) });
    expect(result).toEqual({ outcome: "settled", charge_micro: micro(charge), operator_loss_micro: micro(loss) });
    expect(await customer.wallet()).toEqual({ balance: balance - charge, held: 0 });
    const entries = await database().store.accounts.listEntries(customer.account.id, 10);
    const charges = entries.filter(({ kind }) => kind === "charge");
    expect(charges.map(({ amount_micro }) => Number(amount_micro))).toEqual(charge === 0 ? [] : [-charge]);
  });
}

function settleTests(database: () => TestDatabase): void {
  test("keeps parts, calls and what nobody priced of its usage", async () => {
    const customer = await newCustomer(database(), 1000);
    const extra = { parts: { input_audio: 4 }, calls: { web_search: 2 }, unpriced: ["hologram_tokens"] };
    const usage = { ...NO_USAGE, input_tokens: 9, output_tokens: 2, extra };
    const price = { ...PRICE, version: "rare", calls_micro_per_kcall: { web_search: 5 }, variant: "speed=fast" };
    const request_id = await customer.hold();
    await customer.settle(request_id, { usage, price });
    const record = await database().store.accounts.findRequest(customer.account.id, request_id);
    expect(record?.usage).toEqual(usage);
    expect(record?.price).toEqual(price);
    const plain_id = await customer.hold();
    await customer.settle(plain_id, { usage: NO_USAGE, charge_micro: micro(0) });
    const plain = await database().store.accounts.findRequest(customer.account.id, plain_id);
    expect(plain?.usage).toEqual(NO_USAGE);
  });

  test("leaves a receipt with all that was told", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    const usage = {
      input_tokens: 1,
      cache_read_tokens: 2,
      cache_write_tokens: 3,
      output_tokens: 4,
      reasoning_tokens: 1,
    };
    const attempt = {
      vendor: "acme",
      upstream_model: "swift-1",
      status: 200,
      error: null,
      first_byte_ms: 12,
      duration_ms: 30,
    };
    const price = { ...PRICE, version: "p2", input_micro_per_mtok: 7 };
    const outcome = { ...OUTCOME, attempts: [attempt], error: "provider_error", queue_ms: 0.6 } as const;
    const fields = { model: "acme/mini", price, usage, estimated: true, outcome };
    await customer.settle(request_id, fields);
    const record = await database().store.accounts.findRequest(customer.account.id, request_id);
    expect(record).toMatchObject({
      status: "settled",
      requested_model: "acme/swift",
      model: "acme/mini",
      price,
      usage,
      estimated: true,
      error: "provider_error",
      attempts: [attempt],
      hold_micro: 100n,
      // 1 × 0.000007 + 2 + 3 + 4 × 2, rounded up.
      charge_micro: 14n,
      operator_loss_micro: 0n,
      queue_ms: 1,
      first_byte_ms: 20,
      duration_ms: 30,
    });
    expect(record?.ended_ms).toBeGreaterThanOrEqual(record?.created_ms ?? Number.POSITIVE_INFINITY);
  });

  test("of a request that nobody admitted is told so", async () => {
    const customer = await newCustomer(database(), 1000);
    expect(await customer.settle("req_none")).toEqual({ outcome: "unknown_request" });
    expect(await customer.void("req_none")).toEqual({ outcome: "unknown_request" });
  });
}

function upstreamCostTests(database: () => TestDatabase): void {
  const outcome = { ...OUTCOME, upstream_cost_micro: micro(12) };
  const attempt = {
    vendor: "acme",
    upstream_model: "judge",
    status: 200,
    error: null,
    first_byte_ms: 1,
    duration_ms: 2,
  };

  test("keeps what the decision engine's own calls cost, beside the charge", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    await customer.settle(request_id, { outcome: { ...outcome, attempts: [{ ...attempt, calls: 9, failures: 1 }] } });
    expect(await database().store.accounts.findRequest(customer.account.id, request_id)).toMatchObject({
      status: "settled",
      charge_micro: 40n,
      upstream_cost_micro: 12n,
      attempts: [{ ...attempt, calls: 9, failures: 1 }],
    });
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });

  test("keeps it also where nothing was charged, and has none elsewhere", async () => {
    const customer = await newCustomer(database(), 1000);
    const [failed, other] = [await customer.hold(), await customer.hold()];
    await customer.void(failed, { operator_loss_micro: micro(0), outcome });
    await customer.settle(other);
    const { accounts } = database().store;
    expect(await accounts.findRequest(null, failed)).toMatchObject({ status: "voided", upstream_cost_micro: 12n });
    expect(await accounts.findRequest(null, other)).toMatchObject({ status: "settled", upstream_cost_micro: null });
  });

  test("keeps it in the batch that admits the request", async () => {
    const customer = await newCustomer(database(), 1000);
    const admit = customer.admitOp();
    await database().store.ledger.commit([admit, settleOp(admit.request_id, { outcome })]);
    const record = await database().store.accounts.findRequest(null, admit.request_id);
    expect(record).toMatchObject({ status: "settled", upstream_cost_micro: 12n });
  });
}

function onceTests(database: () => TestDatabase): void {
  test("happens once, however often it is asked for", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    const results = await Promise.all(Array.from({ length: 20 }, () => customer.settle(request_id)));
    expect(results.filter((result) => result?.outcome === "settled")).toHaveLength(1);
    expect(results.filter((result) => result?.outcome === "already_ended")).toHaveLength(19);
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
    expect(await database().store.accounts.listEntries(customer.account.id, 10)).toHaveLength(2);
  });

  test("happens once within one batch, too", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    const [first, second] = await customer.commit(settleOp(request_id), settleOp(request_id));
    expect(first).toMatchObject({ outcome: "settled" });
    expect(second).toEqual({ outcome: "already_ended", status: "settled" });
    expect(await customer.void(request_id)).toEqual({ outcome: "already_ended", status: "settled" });
    expect(await customer.extend(request_id, 1)).toEqual({ outcome: "refused" });
    await customer.progress(request_id, 99);
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });

  test("works in the batch that admits it", async () => {
    const customer = await newCustomer(database(), 1000);
    const admit = customer.admitOp();
    const results = await database().store.ledger.commit([admit, settleOp(admit.request_id)]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["admitted", "settled"]);
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });
}

function voidTests(database: () => TestDatabase): void {
  test("gives the whole hold back and charges nothing", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    const outcome = { ...OUTCOME, error: "provider_error" } as const;
    expect(await customer.void(request_id, { operator_loss_micro: micro(7), outcome })).toEqual({ outcome: "voided" });
    expect(await customer.wallet()).toEqual({ balance: 1000, held: 0 });
    const record = await database().store.accounts.findRequest(customer.account.id, request_id);
    const ended = { status: "voided", usage: null, charge_micro: 0n, operator_loss_micro: 7n, error: "provider_error" };
    expect(record).toMatchObject({ ...ended, price: PRICE });
    expect(await customer.settle(request_id)).toEqual({ outcome: "already_ended", status: "voided" });
  });
}

function extendTests(database: () => TestDatabase): void {
  test("grows the hold by what the balance has of it, and is refused when nothing is left", async () => {
    const customer = await newCustomer(database(), 250);
    const request_id = await customer.hold();
    expect(await customer.extend(request_id, 100)).toEqual({ outcome: "extended", added_micro: micro(100) });
    expect(await customer.extend(request_id, 70)).toEqual({ outcome: "extended", added_micro: micro(50) });
    expect(await customer.extend(request_id, 1)).toEqual({ outcome: "refused" });
    expect(await customer.wallet()).toEqual({ balance: 0, held: 250 });
    expect(await customer.settle(request_id, { charge_micro: micro(240) })).toMatchObject({ charge_micro: 240n });
    expect(await customer.wallet()).toEqual({ balance: 10, held: 0 });
  });

  test("stops at the key's budget, other open holds and charges counted", async () => {
    const customer = await newCustomer(database(), 1000, { budget: { amount_micro: micro(300), window: "week" } });
    await customer.settle(await customer.hold());
    await customer.hold({ hold_micro: micro(110) });
    const request_id = await customer.hold();
    expect(await customer.extend(request_id, 51)).toEqual({ outcome: "extended", added_micro: micro(50) });
    expect(await customer.extend(request_id, 1)).toEqual({ outcome: "refused" });
  });

  test("of a request that does not exist is refused", async () => {
    const customer = await newCustomer(database(), 1000);
    expect(await customer.extend("req_none", 1)).toEqual({ outcome: "refused" });
  });
}
