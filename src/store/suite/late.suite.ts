import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type Customer, newCustomer, problemsOf, type TestDatabase } from "./books.ts";

/** Ends that come after a recovery had ended the hold (docs/rulings.md 146). */
export function lateSuite(database: () => TestDatabase): void {
  describe("after a recovery", () => {
    differenceTests(database);
    boundTests(database);
  });
}

const TOKENS = { input_tokens: 10, output_tokens: 5, extra: { units: { images: 2, input_seconds: 7 } } };
const LATE = {
  usage: { ...NO_USAGE, input_tokens: 10, output_tokens: 25, extra: { units: { images: 1, searches: 3 } } },
  estimated: false,
} as const;

/** A request that a recovery has ended: charged with 15 where a progress was recorded, else voided. */
async function recover(
  database: TestDatabase,
  balance: number,
  progress: boolean,
): Promise<{ customer: Customer; request_id: string }> {
  const customer = await newCustomer(database, balance);
  const request_id = await customer.hold({ idempotency: { key: "k", fingerprint: "f" } });
  if (progress) await customer.progress(request_id, 15, TOKENS);
  await database.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
  await database.store.ledger.sweep(database.node_id);
  return { customer, request_id };
}

function differenceTests(database: () => TestDatabase): void {
  const cases = [
    { what: "a settlement above what was charged", progress: true, charge: 40, booked: -25 },
    { what: "a settlement below what was charged", progress: true, charge: 4, booked: 11 },
    { what: "a settlement of what was charged", progress: true, charge: 15, booked: 0 },
    { what: "a settlement where nothing was charged", progress: false, charge: 40, booked: -40 },
    { what: "a settlement above the hold", progress: false, charge: 150, booked: -100 },
    { what: "a void of what was charged", progress: true, charge: null, booked: 15 },
    { what: "a void where nothing was charged", progress: false, charge: null, booked: 0 },
  ];
  for (const { what, progress, charge, booked } of cases) {
    test(`${what}: the difference is booked once, and the receipt says so`, async () => {
      const { customer, request_id } = await recover(database(), 1000, progress);
      const { store } = database();
      const first = progress ? 15 : 0;
      expect(await customer.wallet()).toEqual({ balance: 1000 - first, held: 0 });
      const end = () =>
        charge === null
          ? customer.void(request_id)
          : customer.settle(request_id, { ...LATE, charge_micro: micro(charge) });
      const ends = await Promise.all([end(), end(), end()]);
      const outcome = charge === null ? "voided" : "settled";
      expect(ends.map((each) => each?.outcome).toSorted()).toEqual(["already_ended", "already_ended", outcome]);
      expect(ends.filter((each) => each !== undefined && "late" in each)).toHaveLength(1);
      expect(await end()).toMatchObject({ outcome: "already_ended" });

      expect(await customer.wallet()).toEqual({ balance: 1000 - first + booked, held: 0 });
      const corrections = await store.accounts.listEntries(customer.account.id, 10, { kind: "correction" });
      expect(
        corrections.map(({ amount_micro, request_id: named, note, actor }) => [
          Number(amount_micro),
          named,
          note,
          actor,
        ]),
      ).toEqual(booked === 0 ? [] : [[booked, request_id, `late end of ${request_id}`, "gateway"]]);
      const rows = await database().execute(
        `SELECT corrects_seq FROM entries WHERE account_id = '${customer.account.id}' AND kind = 'correction'`,
      );
      expect(rows.map((row) => Number((row as { corrects_seq: unknown }).corrects_seq))).toEqual(
        booked === 0 ? [] : [progress ? 2 : 0],
      );
      const record = await store.accounts.findRequest(customer.account.id, request_id);
      expect(record).toMatchObject({
        ...{ late: true, status: outcome, estimated: false, error: null },
        charge_micro: micro(first - booked),
        operator_loss_micro: micro(Math.max(0, (charge ?? 0) - (first - booked))),
        usage: charge === null ? null : LATE.usage,
      });
      const { daily } = await store.accounts.usageWindows(customer.account.id);
      expect(daily).toMatchObject({
        cost_micro: micro(first - booked),
        completion_tokens: charge === null ? 0 : 25,
        ...{ ...NO_UNITS, ...(charge !== null && LATE.usage.extra.units) },
        success_count: charge === null ? 0 : 1,
      });
      expect(await problemsOf(customer)).toEqual([]);
    });
  }
}

function boundTests(database: () => TestDatabase): void {
  test("a correction that a person books is for no request, whatever its note says", async () => {
    const customer = await newCustomer(database(), 1000);
    const booking = {
      kind: "correction",
      amount_micro: micro(-1),
      note: "late end of req_1",
      actor: "admin-token",
    } as const;
    const { accounts } = database().store;
    expect(await accounts.addEntry({ account_id: customer.account.id, ...booking })).toMatchObject({
      request_id: null,
    });
  });

  test("a settlement that the balance does not cover takes what is there, and the rest is the operator's loss", async () => {
    const { customer, request_id } = await recover(database(), 100, false);
    await customer.hold({ hold_micro: micro(90) });
    const result = await customer.settle(request_id, { charge_micro: micro(40) });
    expect(result).toMatchObject({ outcome: "settled", charge_micro: 10n, operator_loss_micro: 30n });
    expect(await customer.wallet()).toEqual({ balance: 0, held: 90 });
  });

  test("an end that is not late is never booked twice", async () => {
    const customer = await newCustomer(database(), 1000);
    const request_id = await customer.hold();
    await customer.settle(request_id);
    expect(await customer.settle(request_id, { charge_micro: micro(80) })).toEqual({
      outcome: "already_ended",
      status: "settled",
    });
    expect(await customer.wallet()).toEqual({ balance: 960, held: 0 });
  });

  test("the answer of a late settlement is kept for a repeat, where the recovery had kept the key", async () => {
    const { customer, request_id } = await recover(database(), 1000, true);
    const answer = { status: 200, content_type: "text/plain", headers: {}, body: new TextEncoder().encode("late") };
    await customer.settle(request_id, { answer });
    expect(await customer.admit({ idempotency: { key: "k", fingerprint: "f" } })).toMatchObject({
      outcome: "replay",
      request_id,
    });
  });

  test("a budget counts what came late", async () => {
    const customer = await newCustomer(database(), 1000, { budget: { amount_micro: micro(200), window: "day" } });
    const request_id = await customer.hold();
    await database().execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
    await database().store.ledger.sweep(database().node_id);
    await customer.settle(request_id, { charge_micro: micro(90) });
    expect(await customer.admit({ hold_micro: micro(111) })).toMatchObject({ outcome: "budget_exceeded" });
    expect(await customer.admit({ hold_micro: micro(110) })).toMatchObject({ outcome: "admitted" });
  });
}
