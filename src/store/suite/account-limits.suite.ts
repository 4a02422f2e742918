import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import type { KeyRecord, Limits } from "../../core/people/principal.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import { type Customer, newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";

/** Limits of an account over all of its keys, and what an administrator has set for a key (docs/rulings.md 151). */
export function accountLimitsSuite(database: () => TestDatabase): void {
  describe("the limits of an account", () => {
    rateTests(database);
    budgetTests(database);
    lifeTests(database);
  });
  describe("the ceilings of a key", () => ceilingTests(database));
}

/** A customer with 1,000 whose account has these limits; its key's version is the new one. */
async function limited(database: TestDatabase, limits: Partial<Limits>): Promise<Customer> {
  const customer = await newCustomer(database, 1000);
  await setLimits(customer, limits);
  return customer;
}

async function setLimits(customer: Customer, limits: Partial<Limits>): Promise<void> {
  const { accounts } = customer.database.store;
  await accounts.setAccountLimits(customer.account.id, { ...NO_LIMITS, ...limits });
  await renew(customer);
}

async function renew(customer: Customer): Promise<void> {
  const key = await customer.database.store.accounts.findKey(customer.key.id);
  if (key !== null) customer.key = key;
}

function secondKey({ database, account }: Customer): Promise<KeyRecord> {
  return database.store.accounts.createKey(newKey(account.id));
}

function rateTests(database: () => TestDatabase): void {
  test("requests of all keys count together, and a refusal says that the account refused", async () => {
    const customer = await limited(database(), { rpm: 2 });
    const other = await secondKey(customer);
    expect(await customer.admit({ rpm: 10 })).toMatchObject({
      outcome: "admitted",
      rate: { requests: { limit: 2, remaining: 1 } },
    });
    const by_other = { key_id: other.id, key_version: other.version };
    expect(await customer.admit(by_other)).toMatchObject({ outcome: "admitted" });
    expect(await customer.admit({ rpm: 10 })).toMatchObject({
      ...{ outcome: "rate_limited", limit: "requests", of: "account" },
    });
    // A refusal by the key is the key's.
    const refused = await customer.admit({ rpm: 1 });
    expect(refused).toMatchObject({ outcome: "rate_limited", limit: "requests" });
    expect(refused).not.toHaveProperty("of");
  });

  test("the headers show the tighter limit", async () => {
    const customer = await limited(database(), { rpm: 50 });
    expect(await customer.admit({ rpm: 3 })).toMatchObject({ rate: { requests: { limit: 3, remaining: 2 } } });
  });

  test("requests in flight of all keys count together, until they end", async () => {
    const customer = await limited(database(), { concurrent: 2 });
    const other = await secondKey(customer);
    const by_other = { key_id: other.id, key_version: other.version };
    const first = await customer.hold();
    const second = await customer.hold(by_other);
    expect(await customer.admit()).toMatchObject({ outcome: "rate_limited", limit: "concurrency", of: "account" });
    await customer.settle(first);
    const third = await customer.hold();
    expect(await customer.admit(by_other)).toMatchObject({ outcome: "rate_limited" });
    await customer.void(second);
    await customer.void(third);
    await customer.hold(by_other);
  });

  test("tokens count by their bound, and are corrected at the end", async () => {
    const customer = await limited(database(), { tpm: 100 });
    const first = await customer.hold({ bound_tokens: 90 });
    expect(await customer.admit({ bound_tokens: 40 })).toMatchObject({ limit: "tokens", of: "account" });
    await customer.void(first);
    await customer.hold({ bound_tokens: 40 });
  });
}

function budgetTests(database: () => TestDatabase): void {
  const budget = { amount_micro: micro(300), window: "month" } as const;

  test("a budget covers the charges and holds of all keys", async () => {
    const customer = await limited(database(), { budget });
    const other = await secondKey(customer);
    const by_other = { key_id: other.id, key_version: other.version };
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(140) });
    await customer.hold({ ...by_other, hold_micro: micro(100) });
    expect(await customer.admit({ hold_micro: micro(61) })).toMatchObject({
      ...{ outcome: "budget_exceeded", of: "account", window: "month", remaining_micro: 60n },
    });
    await customer.hold({ hold_micro: micro(60) });
    const use = await customer.database.store.accounts.accountBudgetUse(customer.account.id);
    expect(use).toMatchObject({ amount_micro: 300n, spent_micro: 140n, held_micro: 160n });
  });

  test("the budget that has less left refuses", async () => {
    const customer = await limited(database(), { budget });
    const of_key = { amount_micro: micro(50), window: "day" } as const;
    const refused = await customer.admit({ budget: of_key, hold_micro: micro(51) });
    expect(refused).toMatchObject({ outcome: "budget_exceeded", window: "day", remaining_micro: 50n });
    expect(refused).not.toHaveProperty("of");
    const of_account = await customer.admit({
      budget: { ...of_key, amount_micro: micro(900) },
      hold_micro: micro(301),
    });
    expect(of_account).toMatchObject({ window: "month", of: "account" });
  });

  test("a hold grows no further than the account's budget", async () => {
    const customer = await limited(database(), { budget });
    const request_id = await customer.hold({ hold_micro: micro(250) });
    expect(await customer.extend(request_id, 100)).toMatchObject({ outcome: "extended", added_micro: 50n });
    expect(await customer.extend(request_id, 1)).toMatchObject({ outcome: "refused" });
  });

  test("charges from before there was a budget count, in whatever window the budget has", async () => {
    const customer = await newCustomer(database(), 1000);
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(120) });
    for (const window of ["day", "week", "month"] as const) {
      await setLimits(customer, { budget: { amount_micro: micro(200), window } });
      expect(await customer.admit({ hold_micro: micro(81) })).toMatchObject({ remaining_micro: 80n, window });
    }
  });
}

function lifeTests(database: () => TestDatabase): void {
  test("requests that run when limits are set count, and end well when limits are gone", async () => {
    const customer = await newCustomer(database(), 1000);
    const first = await customer.hold();
    await setLimits(customer, { concurrent: 1 });
    expect(await customer.admit()).toMatchObject({ outcome: "rate_limited", of: "account" });
    await setLimits(customer, {});
    const second = await customer.hold();
    await customer.settle(first);
    await setLimits(customer, { concurrent: 1 });
    expect(await customer.admit()).toMatchObject({ outcome: "rate_limited", of: "account" });
    await customer.settle(second);
    await customer.hold();
  });

  test("they survive a crash: open requests and charges are counted", async () => {
    const budget = { amount_micro: micro(200), window: "month" } as const;
    const customer = await limited(database(), { concurrent: 2, budget });
    await customer.settle(await customer.hold(), { charge_micro: micro(60) });
    await customer.hold();
    await customer.database.crash();
    // The start has ended what was open.
    await customer.hold();
    expect(await customer.admit({ hold_micro: micro(41) })).toMatchObject({ of: "account", remaining_micro: 40n });
    const { problems } = await customer.database.store.audit({ account_id: customer.account.id });
    expect(problems).toEqual([]);
  });

  test("a key's record has the models of its account, and is stale once they change", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store } = customer.database;
    await store.accounts.setAccountLimits(customer.account.id, { ...NO_LIMITS, models: ["acme/*"] });
    expect(await customer.admit()).toMatchObject({ outcome: "stale_key" });
    await renew(customer);
    expect(customer.key.account_limits).toEqual({ ...NO_LIMITS, models: ["acme/*"] });
    expect(await store.accounts.findAccount(customer.account.id)).toMatchObject({ limits: { models: ["acme/*"] } });
    await setLimits(customer, {});
    expect(customer.key).not.toHaveProperty("account_limits");
  });

  test("the audit finds counts that are not those of the requests", async () => {
    const customer = await limited(database(), { concurrent: 5, budget: { amount_micro: micro(500), window: "day" } });
    await customer.settle(await customer.hold());
    await customer.wallet();
    const change = (counts: string) =>
      customer.database.execute(`UPDATE account_limits SET ${counts} WHERE account_id = '${customer.account.id}'`);
    await change("open_count = 3, spent_micro = 7");
    const { findings } = await customer.database.store.audit({ account_id: customer.account.id });
    await change("open_count = 0, spent_micro = 40");
    expect(findings.map(({ problem }) => problem)).toEqual([
      "the account's open requests are not its requests'",
      "what the account has spent this day is not what its days add up to",
    ]);
  });
}

function ceilingTests(database: () => TestDatabase): void {
  test("stay through changes that do not name them, and are gone when none is left", async () => {
    const customer = await newCustomer(database(), 1000);
    const ceilings = { ...NO_LIMITS, rpm: 10, models: ["acme/*"], expires_ms: 5, barred: false };
    await customer.changeKey({ rpm: 10, ceilings });
    await customer.changeKey({ rpm: 5 });
    expect(customer.key).toMatchObject({ rpm: 5, ceilings });
    await customer.changeKey({ ceilings: { ...NO_LIMITS, expires_ms: null, barred: false } });
    expect(customer.key).not.toHaveProperty("ceilings");
  });

  test("a change that relies on another version of the key is refused", async () => {
    const { database: on, key } = await newCustomer(database(), 1000);
    await on.store.accounts.updateKey(key.id, { rpm: 5 });
    const late = on.store.accounts.updateKey(key.id, { rpm: 50 }, key.version);
    expect(String(await rejectionOf(late))).toContain("at this moment");
    expect(await on.store.accounts.findKey(key.id)).toMatchObject({ rpm: 5 });
  });

  test("a key that an administrator disabled is enabled by an administrator only", async () => {
    const { database: on, key } = await newCustomer(database(), 1000);
    const { accounts } = on.store;
    await accounts.setKeyStatus(key.id, "disabled", true);
    expect(String(await rejectionOf(accounts.setKeyStatus(key.id, "active")))).toContain("only an administrator");
    expect(await accounts.setKeyStatus(key.id, "active", false)).toMatchObject({ status: "active" });
    await accounts.setKeyStatus(key.id, "disabled");
    expect(await accounts.setKeyStatus(key.id, "active")).toMatchObject({ status: "active" });
  });
}
