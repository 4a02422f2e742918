import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "../../core/money/money.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { type Customer, newCustomer, problemsOf, rejectionOf, settleOp, type TestDatabase } from "./books.ts";

/** Credits that the books add by themselves when a balance falls low. */
export function topUpsSuite(database: () => TestDatabase, histories: number): void {
  describe("automatic top-ups", () => {
    ruleTests(database);
    crossingTests(database);
    monthTests(database);
    lawTest(database, histories);
  });
}

interface Rule {
  readonly threshold: number;
  readonly amount: number;
  readonly limit: number;
}

async function withRule(database: TestDatabase, balance: number, rule: Rule): Promise<Customer> {
  const customer = await newCustomer(database, balance);
  await setRule(customer, rule);
  return customer;
}

function setRule({ database, account }: Customer, { threshold, amount, limit }: Rule) {
  return database.store.accounts.setAutoTopUp({
    account_id: account.id,
    threshold_micro: micro(threshold),
    amount_micro: micro(amount),
    month_limit_micro: micro(limit),
    updated_by: "user_ann",
  });
}

/** The credits that the gateway has booked, newest first. */
async function topUps({ database, account }: Customer): Promise<number[]> {
  const credits = await database.store.accounts.listEntries(account.id, 100, { kind: "credit" });
  return credits.flatMap(({ actor, note, amount_micro, request_id }) => {
    if (actor !== "gateway") return [];
    expect([note, request_id]).toEqual(["automatic top-up", null]);
    return [Number(amount_micro)];
  });
}

function ruleTests(database: () => TestDatabase): void {
  test("have a rule that is set, changed and taken away, and remember what it has credited in the month", async () => {
    const customer = await newCustomer(database(), 100);
    const { accounts } = database().store;
    const { id } = customer.account;
    expect(await accounts.findAutoTopUp(id)).toBeNull();
    expect(await accounts.removeAutoTopUp(id)).toBe(false);

    const made = await setRule(customer, { threshold: 50, amount: 60, limit: 100 });
    expect(made).toMatchObject({ threshold_micro: 50n, amount_micro: 60n, month_limit_micro: 100n, last_ms: null });
    expect(made).toMatchObject({ month_used_micro: 0n, updated_by: "user_ann" });
    expect(made.month_since).toBe(`${new Date().toISOString().slice(0, 7)}-01`);
    await customer.hold({ hold_micro: micro(51) });
    expect(await accounts.findAutoTopUp(id)).toMatchObject({ month_used_micro: 60n, last_ms: expect.any(Number) });

    expect(await setRule(customer, { threshold: 10, amount: 50, limit: 100 })).toMatchObject({ month_used_micro: 60n });
    expect(await accounts.removeAutoTopUp(id)).toBe(true);
    expect(await accounts.findAutoTopUp(id)).toBeNull();
    await customer.hold({ hold_micro: micro(105) });
    expect(await customer.wallet()).toEqual({ balance: 4, held: 156 });
    expect(await setRule(customer, { threshold: 10, amount: 40, limit: 100 })).toMatchObject({ month_used_micro: 60n });
  });

  const REFUSED: readonly (readonly [what: string, rule: Rule, says: RegExp])[] = [
    ["that add nothing", { threshold: 0, amount: 0, limit: 10 }, /more than nothing/],
    ["that add less than the threshold", { threshold: 50, amount: 49, limit: 100 }, /at least the threshold/],
    ["whose month has no room for one", { threshold: 0, amount: 50, limit: 49 }, /month/],
  ];
  for (const [what, rule, says] of REFUSED) {
    test(`${what} are refused`, async () => {
      const customer = await newCustomer(database(), 0);
      const rejection = await rejectionOf(setRule(customer, rule));
      expect(rejection).toBeInstanceOf(StoreConflict);
      expect(String(rejection)).toMatch(says);
    });
  }

  test("need an account", async () => {
    const rule = { threshold_micro: micro(1), amount_micro: micro(1), month_limit_micro: micro(1), updated_by: "" };
    const setting = database().store.accounts.setAutoTopUp({ account_id: "acct_nobody", ...rule });
    expect(await rejectionOf(setting)).toBeInstanceOf(StoreConflict);
  });
}

function crossingTests(database: () => TestDatabase): void {
  test("happen once where a balance falls below the threshold, and not before", async () => {
    const customer = await withRule(database(), 100, { threshold: 20, amount: 50, limit: 1000 });
    await customer.hold({ hold_micro: micro(80) });
    expect(await topUps(customer)).toEqual([]);
    await customer.hold({ hold_micro: micro(1) });
    expect(await topUps(customer)).toEqual([50]);
    expect(await customer.wallet()).toEqual({ balance: 69, held: 81 });
    await customer.hold({ hold_micro: micro(49) });
    expect(await topUps(customer)).toEqual([50]);
  });

  test("come before a refusal for lack of balance, where they are enough", async () => {
    const customer = await withRule(database(), 0, { threshold: 0, amount: 50, limit: 1000 });
    expect(await customer.admit({ hold_micro: micro(51) })).toMatchObject({ outcome: "insufficient_balance" });
    expect(await topUps(customer)).toEqual([]);
    expect(await customer.admit({ hold_micro: micro(50) })).toMatchObject({ outcome: "admitted" });
    expect(await customer.wallet()).toEqual({ balance: 0, held: 50 });
  });

  test("do not happen for a request that is refused for its rate or its key's budget", async () => {
    const customer = await withRule(database(), 10, { threshold: 10, amount: 50, limit: 1000 });
    const budget = { amount_micro: micro(1), window: "day" } as const;
    expect(await customer.admit({ hold_micro: micro(5), budget })).toMatchObject({ outcome: "budget_exceeded" });
    await customer.admit({ hold_micro: micro(0), rpm: 1 });
    expect(await customer.admit({ hold_micro: micro(5), rpm: 1 })).toMatchObject({ outcome: "rate_limited" });
    expect(await topUps(customer)).toEqual([]);
  });

  test("let a stream go on that the balance alone would cut", async () => {
    const customer = await withRule(database(), 100, { threshold: 0, amount: 50, limit: 50 });
    const request_id = await customer.hold({ hold_micro: micro(100) });
    expect(await customer.extend(request_id, 40)).toEqual({ outcome: "extended", added_micro: micro(40) });
    expect(await customer.extend(request_id, 11)).toEqual({ outcome: "extended", added_micro: micro(10) });
    expect(await customer.extend(request_id, 1)).toEqual({ outcome: "refused" });
    expect(await customer.wallet()).toEqual({ balance: 0, held: 150 });
    expect(await topUps(customer)).toEqual([50]);
  });

  test("follow a hold that grows for its charge", async () => {
    const customer = await withRule(database(), 150, { threshold: 50, amount: 60, limit: 1000 });
    const request_id = await customer.hold({ hold_micro: micro(100) });
    await customer.extend(request_id, 10);
    await customer.settle(request_id, { charge_micro: micro(110) });
    expect(await customer.wallet()).toEqual({ balance: 100, held: 0 });
    expect(await topUps(customer)).toEqual([60]);
  });

  test("of one batch are one for each crossing", async () => {
    const customer = await withRule(database(), 100, { threshold: 50, amount: 100, limit: 1000 });
    const ops = Array.from({ length: 5 }, () => customer.admitOp({ hold_micro: micro(60) }));
    const results = await customer.commit(...ops);
    expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => "admitted"));
    expect(await customer.wallet()).toEqual({ balance: 100, held: 300 });
    expect(await topUps(customer)).toEqual([100, 100, 100]);
    await customer.commit(...ops.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(0) })));
    expect(await topUps(customer)).toEqual([100, 100, 100]);
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function monthTests(database: () => TestDatabase): void {
  test("end at the month's limit, and begin anew with the next month", async () => {
    const customer = await withRule(database(), 0, { threshold: 0, amount: 50, limit: 149 });
    for (const outcome of ["admitted", "admitted", "insufficient_balance"]) {
      expect(await customer.admit({ hold_micro: micro(50) })).toMatchObject({ outcome });
    }
    const { store, execute } = database();
    const where = `WHERE account_id = '${customer.account.id}'`;
    const [before] = await execute(`SELECT month_start_day FROM auto_top_ups ${where}`);
    const month = Number((before as { month_start_day: unknown }).month_start_day);
    await execute(`UPDATE auto_top_ups SET month_start_day = ${month - 31} ${where}`);
    expect(await store.accounts.findAutoTopUp(customer.account.id)).toMatchObject({ month_used_micro: 0n });
    expect(await customer.admit({ hold_micro: micro(50) })).toMatchObject({ outcome: "admitted" });
    expect(await store.accounts.findAutoTopUp(customer.account.id)).toMatchObject({ month_used_micro: 50n });
    // Put right, so that the books match the month's credits again.
    await execute(`UPDATE auto_top_ups SET month_used_micro = 150 ${where}`);
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("that the books do not know of are found by the audit", async () => {
    const customer = await withRule(database(), 0, { threshold: 0, amount: 50, limit: 100 });
    await customer.hold({ hold_micro: micro(50) });
    const { execute } = database();
    const set = (used: number) =>
      execute(`UPDATE auto_top_ups SET month_used_micro = ${used} WHERE account_id = '${customer.account.id}'`);
    await set(0);
    expect(await problemsOf(customer)).toEqual([expect.stringContaining("top-ups")]);
    await set(50);
    expect(await problemsOf(customer)).toEqual([]);
  });
}

/** Draws on the balance; what was held goes back by and by, so that balances rise as well. */
const DRAWS = fc.array(
  fc.record({ hold: fc.integer({ min: 0, max: 120 }), charge: fc.option(fc.integer({ min: 0, max: 150 })) }),
  { minLength: 1, maxLength: 15 },
);
const RULE = fc
  .record({
    threshold: fc.integer({ min: 0, max: 60 }),
    more: fc.integer({ min: 1, max: 80 }),
    times: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ threshold, more, times }) => ({ threshold, amount: threshold + more, limit: (threshold + more) * times }));

function lawTest(database: () => TestDatabase, histories: number): void {
  test("never exceed the month's limit, never come twice for one draw, and leave balance + held = Σ entries", async () => {
    await fc.assert(
      fc.asyncProperty(RULE, DRAWS, async (rule, draws) => {
        const customer = await withRule(database(), 60, rule);
        let booked = 0;
        for (const { hold, charge } of draws) {
          const { balance: before } = await customer.wallet();
          const { outcome, request_id } = await customer.admit({ hold_micro: micro(hold) });
          const count = (await topUps(customer)).length;
          const due = before - hold < rule.threshold && before + rule.amount >= hold;
          const has_room = (booked + 1) * rule.amount <= rule.limit;
          expect(count - booked).toBe(due && has_room ? 1 : 0);
          expect(outcome).toBe(before + (count - booked) * rule.amount >= hold ? "admitted" : "insufficient_balance");
          booked = count;
          if (outcome !== "admitted" || charge === null) continue;
          await customer.settle(request_id, { charge_micro: micro(charge) });
          booked = (await topUps(customer)).length;
        }
        expect(booked * rule.amount).toBeLessThanOrEqual(rule.limit);
        const entries = await database().store.accounts.listEntries(customer.account.id, 500);
        const posted = entries.reduce((sum, { amount_micro }) => sum + Number(amount_micro), 0);
        const { balance, held } = await customer.wallet();
        expect(posted).toBe(balance + held);
        expect(await problemsOf(customer)).toEqual([]);
      }),
      { numRuns: histories, endOnFailure: true },
    );
  }, 120_000);
}
