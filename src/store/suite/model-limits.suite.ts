import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import type { AppliedRule } from "../../core/people/limit-rules.ts";
import type { ModelLimit } from "../../core/people/principal.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import { type GatewayModels, modelRule, rulesOf } from "../../limits/applied-rules.ts";
import { type Customer, newCustomer, problemsOf, type TestDatabase } from "./books.ts";

/** Limits by model of keys, projects, accounts and the gateway (docs/rulings.md 177). */
export function modelLimitsSuite(database: () => TestDatabase): void {
  describe("a limit by model", () => {
    ruleTests(database);
    gatewayTests(database);
    lifeTests(database);
  });
}

const NONE = { rpm: null, tpm: null, concurrent: null, budget: null } as const;

function limit(models: string, fields: Partial<ModelLimit>): ModelLimit {
  return { models, ...NONE, ...fields };
}

/** A customer with 1,000 whose key has these limits by model. */
async function limited(database: TestDatabase, ...model_limits: ModelLimit[]): Promise<Customer> {
  const customer = await newCustomer(database, 1000);
  await customer.changeKey({ model_limits });
  return customer;
}

/** What an admission of the customer's key for a model brings. */
function by(customer: Customer, model: string, gateway: GatewayModels = {}) {
  return { model, requested_model: model, rules: rulesOf(customer.key, model, gateway) };
}

function ruleTests(database: () => TestDatabase): void {
  test("counts the requests of its models, and of no others", async () => {
    const customer = await limited(database(), limit("acme/*", { rpm: 2 }));
    const acme = by(customer, "acme/swift");
    expect(by(customer, "globex/one").rules).toBeNull();
    expect(await customer.admit(acme)).toMatchObject({
      outcome: "admitted",
      rate: { requests: { limit: 2, remaining: 1 } },
    });
    await customer.hold(by(customer, "acme/mini"));
    expect(await customer.admit(acme)).toMatchObject({
      ...{ outcome: "rate_limited", limit: "requests" },
      rule: { rule: modelRule(customer.key.id, "acme/*"), value: "", allowed: 2 },
    });
    await customer.hold(by(customer, "globex/one"));
  });

  test("refuses more at once, and again has room when one has ended", async () => {
    const customer = await limited(database(), limit("acme/*", { concurrent: 1 }));
    const request_id = await customer.hold(by(customer, "acme/swift"));
    expect(await customer.admit(by(customer, "acme/swift"))).toMatchObject({
      limit: "concurrency",
      rule: { allowed: 1 },
    });
    await customer.void(request_id);
    await customer.hold(by(customer, "acme/swift"));
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("has a budget of charges and holds, within which holds grow", async () => {
    const budget = { amount_micro: micro(100), window: "day" } as const;
    const customer = await limited(database(), limit("acme/*", { budget }));
    const acme = by(customer, "acme/swift");
    const request_id = await customer.hold({ ...acme, hold_micro: micro(60) });
    expect(await customer.admit({ ...acme, hold_micro: micro(41) })).toMatchObject({
      ...{ outcome: "budget_exceeded", window: "day", remaining_micro: 40n },
      rule: { rule: modelRule(customer.key.id, "acme/*"), amount_micro: 100n },
    });
    expect(await customer.extend(request_id, 70)).toMatchObject({ outcome: "extended", added_micro: 40n });
    await customer.settle(request_id, { charge_micro: micro(30) });
    expect(await customer.admit({ ...acme, hold_micro: micro(71) })).toMatchObject({ remaining_micro: 70n });
    const rule = modelRule(customer.key.id, "acme/*");
    const [use] = await database().store.accounts.ruleUses(customer.account.id, [{ rule, budget }]);
    expect(use).toMatchObject({ open_count: 0, use: { spent_micro: 30n, held_micro: 0n, amount_micro: 100n } });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("whose budget is used up lets through what costs nothing", async () => {
    const budget = { amount_micro: micro(10), window: "day" } as const;
    const customer = await limited(database(), limit("*", { budget }));
    const acme = by(customer, "acme/swift");
    await customer.settle(await customer.hold({ ...acme, hold_micro: micro(10) }), { charge_micro: micro(10) });
    expect(await customer.admit({ ...acme, hold_micro: micro(1) })).toMatchObject({ remaining_micro: 0n });
    expect(await customer.admit({ ...acme, hold_micro: micro(0) })).toMatchObject({ outcome: "admitted" });
  });

  test("grants less output where its budget pays for no more", async () => {
    const budget = { amount_micro: micro(100), window: "month" } as const;
    const customer = await limited(database(), limit("*", { budget }));
    const allowance = { base_micro: micro(10), output_micro_per_mtok: 1_000_000, least_tokens: 5, most_tokens: 900 };
    const admitted = await customer.admit({ ...by(customer, "acme/swift"), hold_micro: micro(500), allowance });
    expect(admitted).toMatchObject({ outcome: "admitted", granted: { hold_micro: 50n } });
  });

  test("is judged beside all others that match, of key, project and account", async () => {
    const customer = await limited(database(), limit("acme/*", { rpm: 9 }), limit("*", { rpm: 8 }));
    const { accounts } = database().store;
    await accounts.setAccountLimits(customer.account.id, {
      ...NO_LIMITS,
      model_limits: [limit("*/swift", { rpm: 1 })],
    });
    customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
    const { rules, ...model } = by(customer, "acme/swift");
    expect(rules?.map(({ rule }) => rule)).toEqual([
      modelRule(customer.key.id, "acme/*"),
      modelRule(customer.key.id, "*"),
      modelRule("account", "*/swift"),
    ]);
    expect(await customer.admit({ ...model, rules })).toMatchObject({ rate: { requests: { limit: 1, remaining: 0 } } });
    expect(await customer.admit({ ...model, rules })).toMatchObject({ rule: { rule: "account model */swift" } });
    await customer.hold(by(customer, "acme/mini"));
  });
}

function gatewayTests(database: () => TestDatabase): void {
  test("of the gateway counts for each account apart, and comes after those of the account", async () => {
    const budget = { amount_micro: micro(100), window: "day" } as const;
    const gateway = { models: [limit("acme/*", { rpm: 3, budget }), limit("*", { concurrent: 1 })] };
    const customer = await limited(database(), limit("*", { rpm: 8 }));
    const other = await newCustomer(database(), 1000);
    const acme = by(customer, "acme/swift", gateway);
    expect(acme.rules?.map(({ rule }) => rule)).toEqual([
      modelRule(customer.key.id, "*"),
      modelRule("gateway", "acme/*"),
      modelRule("gateway", "*"),
    ]);
    expect(await customer.admit({ ...acme, hold_micro: micro(101) })).toMatchObject({
      ...{ outcome: "budget_exceeded", rule: { rule: "gateway model acme/*", amount_micro: 100n } },
    });
    const request_id = await customer.hold({ ...acme, hold_micro: micro(60) });
    expect(await customer.admit(by(customer, "globex/one", gateway))).toMatchObject({
      ...{ limit: "concurrency", rule: { rule: "gateway model *", allowed: 1 } },
    });
    await customer.settle(request_id, { charge_micro: micro(60) });
    // The same two limits, of which this account has used nothing.
    expect(await customer.admit({ ...acme, hold_micro: micro(41) })).toMatchObject({ remaining_micro: 40n });
    await other.hold({ ...by(other, "acme/swift", gateway), hold_micro: micro(100) });
    const uses = await database().store.accounts.ruleUses(other.account.id, [{ rule: "gateway model acme/*", budget }]);
    expect(uses).toMatchObject([{ open_count: 1, use: { held_micro: 100n, spent_micro: 0n } }]);
    expect([...(await problemsOf(customer)), ...(await problemsOf(other))]).toEqual([]);
  });

  test("of the gateway is another one after a reload of its configuration", async () => {
    const customer = await newCustomer(database(), 1000);
    expect(by(customer, "acme/swift", { models: [limit("*", { rpm: 3 })] }).rules).toMatchObject([{ rpm: 3 }]);
    expect(by(customer, "acme/swift", { models: [limit("*", { rpm: 4 })] }).rules).toMatchObject([{ rpm: 4 }]);
    expect(by(customer, "acme/swift").rules).toBeNull();
  });
}

function lifeTests(database: () => TestDatabase): void {
  test("is counted through a crash, and ends with what a recovery charges", async () => {
    const budget = { amount_micro: micro(100), window: "month" } as const;
    const customer = await limited(database(), limit("acme/*", { budget, concurrent: 2 }));
    const acme = by(customer, "acme/swift");
    const settled = await customer.hold({ ...acme, hold_micro: micro(50) });
    const left = await customer.hold({ ...acme, hold_micro: micro(20) });
    await customer.settle(settled, { charge_micro: micro(45) });
    await customer.progress(left, 5, { output_tokens: 5 });
    await customer.database.crash();
    expect(await problemsOf(customer)).toEqual([]);
    expect(await customer.admit({ ...acme, hold_micro: micro(51) })).toMatchObject({ remaining_micro: 50n });
    // The request's own end comes after all: the difference counts.
    await customer.settle(left, { charge_micro: micro(15) });
    expect(await customer.admit({ ...acme, hold_micro: micro(51) })).toMatchObject({ remaining_micro: 40n });
  });

  test("keeps its counts where it is changed, and counts anew where its budget is for another window", async () => {
    const day = { amount_micro: micro(100), window: "day" } as const;
    const customer = await limited(database(), limit("acme/*", { budget: day }));
    await customer.settle(await customer.hold(by(customer, "acme/swift")), { charge_micro: micro(60) });
    const raised = { ...day, amount_micro: micro(200) };
    await customer.changeKey({ model_limits: [limit("acme/*", { budget: raised })] });
    const refused = await customer.admit({ ...by(customer, "acme/swift"), hold_micro: micro(500) });
    expect(refused).toMatchObject({ remaining_micro: 140n });
    await customer.changeKey({ model_limits: [limit("acme/*", { budget: { ...raised, window: "week" } })] });
    expect(await customer.admit({ ...by(customer, "acme/swift"), hold_micro: micro(500) })).toMatchObject({
      ...{ window: "week", remaining_micro: 200n },
    });
  });

  test("of which an account has many is read and written as one that has few", async () => {
    const customer = await newCustomer(database(), 1000);
    const rules: AppliedRule[] = Array.from({ length: 30 }, (_, at) => ({
      rule: `r ${at}`,
      value: "",
      ...NONE,
      rpm: 5,
    }));
    const ids = [
      await customer.hold({ hold_micro: micro(1), rules }),
      await customer.hold({ hold_micro: micro(1), rules }),
    ];
    for (const id of ids) await customer.settle(id, { charge_micro: micro(1) });
    expect(await problemsOf(customer)).toEqual([]);
  });
}
