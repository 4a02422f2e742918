import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import type { BudgetHolder } from "../../core/people/budgets.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import { type Customer, newCustomer, problemsOf, rejectionOf, type TestDatabase } from "./books.ts";

/** Budgets that never renew, and temporary raises, of keys, projects and accounts alike (docs/design/tags-and-projects.md). */
export function budgetsSuite(database: () => TestDatabase): void {
  describe("a budget that never renews", () => onceTests(database));
  describe("a raise of a budget", () => raiseTests(database));
}

const HOLDERS = ["key", "project", "account"] as const;

/** A customer with 1,000 of whom one holder has a budget of 100; the holder's id. */
async function budgeted(
  database: TestDatabase,
  holder: BudgetHolder,
  window: "once" | "month",
): Promise<{ customer: Customer; id: string }> {
  const customer = await newCustomer(database, 1000);
  const { accounts } = database.store;
  const budget = { amount_micro: micro(100), window };
  const account_id = customer.account.id;
  if (holder === "key") await customer.changeKey({ budget });
  if (holder === "account") await accounts.setAccountLimits(account_id, { ...NO_LIMITS, budget });
  const project_id = newId("proj");
  if (holder === "project") {
    await accounts.createProject({ id: project_id, account_id, name: "team", limits: { ...NO_LIMITS, budget } });
    await customer.changeKey({ project_id });
  }
  customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
  return { customer, id: { key: customer.key.id, project: project_id, account: account_id }[holder] };
}

async function useOf({ database, account, key }: Customer, holder: BudgetHolder, id: string) {
  const { accounts } = database.store;
  if (holder === "project") return (await accounts.findProject(id))?.use;
  if (holder === "account") return await accounts.accountBudgetUse(account.id);
  return (await accounts.budgetUses(account.id)).find(({ key_id }) => key_id === key.id);
}

const refusedBy = (holder: BudgetHolder) => (holder === "key" ? {} : { of: holder });

function onceTests(database: () => TestDatabase): void {
  test.each(HOLDERS)("of a %s counts what was charged years ago, and is shown without a first day", async (holder) => {
    const { customer, id } = await budgeted(database(), holder, "once");
    await customer.settle(await customer.hold({ hold_micro: micro(90) }), { charge_micro: micro(60) });
    await customer.wallet();
    for (const table of ["usage_days", "usage_projects"])
      await customer.database.execute(`UPDATE ${table} SET day = 3 WHERE account_id = '${customer.account.id}'`);
    expect(await customer.admit({ hold_micro: micro(41) })).toMatchObject({
      ...{ outcome: "budget_exceeded", window: "once", remaining_micro: 40n },
      ...refusedBy(holder),
    });
    const use = await useOf(customer, holder, id);
    expect(use).toMatchObject({ window: "once", since: null, spent_micro: 60n, raise: null });
    await customer.hold({ hold_micro: micro(40) });
  });

  test.each(HOLDERS)("of a %s survives a crash, and the audit is content", async (holder) => {
    const { customer } = await budgeted(database(), holder, "once");
    await customer.settle(await customer.hold({ hold_micro: micro(90) }), { charge_micro: micro(60) });
    await customer.database.crash();
    expect(await customer.admit({ hold_micro: micro(41) })).toMatchObject({ window: "once", remaining_micro: 40n });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("may be a ceiling, and is kept by changes of other members", async () => {
    const { customer } = await budgeted(database(), "key", "once");
    const budget = { amount_micro: micro(100), window: "once" } as const;
    await customer.changeKey({ ceilings: { ...NO_LIMITS, budget, expires_ms: null, barred: false } });
    await customer.changeKey({ rpm: 5 });
    expect(customer.key).toMatchObject({ budget, ceilings: { budget } });
    await customer.changeKey({ budget: { ...budget, window: "month" } });
    expect(customer.key.budget).toMatchObject({ window: "month" });
  });
}

function raiseTests(database: () => TestDatabase): void {
  const ahead = () => Date.now() + 3_600_000;

  test.each(HOLDERS)("of a %s counts for admissions and for holds that grow, until its time", async (holder) => {
    const { customer, id } = await budgeted(database(), holder, "month");
    const { accounts } = customer.database.store;
    expect(await customer.admit({ hold_micro: micro(120) })).toMatchObject({ outcome: "budget_exceeded" });
    const raise = { amount_micro: micro(50), until_ms: ahead(), by: "ann" };
    await accounts.raiseBudget(holder, id, raise);
    expect(await useOf(customer, holder, id)).toMatchObject({ amount_micro: 100n, raise });
    const request_id = await customer.hold({ hold_micro: micro(120) });
    expect(await customer.extend(request_id, 100)).toMatchObject({ outcome: "extended", added_micro: 30n });
    await customer.settle(request_id, { charge_micro: micro(110) });
    await customer.database.crash();
    expect(await customer.admit({ hold_micro: micro(41) })).toMatchObject({ remaining_micro: 40n });
    // Only time ends the raise.
    await customer.database.store.accounts.raiseBudget(holder, id, { ...raise, until_ms: Date.now() - 1 });
    expect(await customer.admit({ hold_micro: micro(1) })).toMatchObject({ outcome: "budget_exceeded" });
    expect(await useOf(customer, holder, id)).toMatchObject({ amount_micro: 100n, raise: null });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test.each(HOLDERS)("of a %s can be ended, and takes the place of an earlier one", async (holder) => {
    const { customer, id } = await budgeted(database(), holder, "month");
    const { accounts } = customer.database.store;
    const raise = { amount_micro: micro(50), until_ms: ahead(), by: "ann" };
    await accounts.raiseBudget(holder, id, raise);
    await accounts.raiseBudget(holder, id, { ...raise, amount_micro: micro(20) });
    expect(await customer.admit({ hold_micro: micro(121) })).toMatchObject({ remaining_micro: 120n });
    await accounts.raiseBudget(holder, id, null);
    expect(await customer.admit({ hold_micro: micro(101) })).toMatchObject({ remaining_micro: 100n });
  });

  test("needs a budget to raise", async () => {
    const { database: on, key, account } = await newCustomer(database(), 0);
    const raise = { amount_micro: micro(50), until_ms: ahead(), by: "ann" };
    for (const [holder, id] of [
      ["key", key.id],
      ["account", account.id],
      ["project", "proj_none"],
    ] as const)
      expect(String(await rejectionOf(on.store.accounts.raiseBudget(holder, id, raise)))).toContain("has no budget");
  });
}
