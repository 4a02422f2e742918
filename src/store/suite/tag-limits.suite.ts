import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { NO_LIMITS, type TagLimit } from "../../core/people/principal.ts";
import { applyTagRules, type GatewayTags, tagRule, tagRulesOf } from "../../limits/tag-rules.ts";
import { type Customer, newCustomer, problemsOf, type TestDatabase } from "./books.ts";

/** Limits by tag of projects, accounts and the gateway (docs/rulings.md 176). */
export function tagLimitsSuite(database: () => TestDatabase): void {
  describe("a limit by tag", () => {
    valueTests(database);
    ownTests(database);
    listTests(database);
    boundTests(database);
  });
}

const NONE = { required: false, rpm: null, tpm: null, concurrent: null, budget: null } as const;
const RULE = tagRule("account", "customer");

function limit(fields: Partial<TagLimit>, tag = "customer"): TagLimit {
  return { tag, ...NONE, ...fields };
}

function budgetOf(amount: number, window: "day" | "week" | "month" | "once" = "day") {
  return { amount_micro: micro(amount), window } as const;
}

/** A customer with 1,000 whose account has these limits by tag. */
async function limited(database: TestDatabase, ...tag_limits: TagLimit[]): Promise<Customer> {
  const customer = await newCustomer(database, 1000);
  await change(customer, tag_limits);
  return customer;
}

async function change(customer: Customer, tag_limits: TagLimit[]): Promise<void> {
  const { accounts } = customer.database.store;
  await accounts.setAccountLimits(customer.account.id, { ...NO_LIMITS, tag_limits });
  customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
}

/** What an admission for a value brings. */
function by(customer: Customer, customer_tag: string, gateway: GatewayTags = {}) {
  const found = tagRulesOf(customer.key, gateway);
  const values = { own: { customer: customer_tag }, of_key: customer.key.tags, end_user: null };
  return { tag_rules: found === null ? null : applyTagRules(found, values).rules };
}

async function spend(customer: Customer, value: string, amount: number): Promise<void> {
  const request_id = await customer.hold({ ...by(customer, value), hold_micro: micro(amount) });
  await customer.settle(request_id, { charge_micro: micro(amount) });
}

function valueTests(database: () => TestDatabase): void {
  test("holds for each value apart, also for one that nobody has seen before", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100) }));
    const asked = Array.from({ length: 8 }, () => customer.admit({ ...by(customer, "new"), hold_micro: micro(30) }));
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual([...Array(3).fill("admitted"), ...Array(5).fill("budget_exceeded")]);
    await customer.hold({ ...by(customer, "other"), hold_micro: micro(100) });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("says which value is refused, of how much, and what is left", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100), rpm: 2 }));
    await spend(customer, "acme", 60);
    expect(await customer.admit({ ...by(customer, "acme"), hold_micro: micro(41) })).toMatchObject({
      ...{ outcome: "budget_exceeded", window: "day", remaining_micro: 40n },
      rule: { rule: RULE, value: "acme", amount_micro: 100n },
    });
    await customer.hold({ ...by(customer, "acme"), hold_micro: micro(1) });
    expect(await customer.admit(by(customer, "acme"))).toMatchObject({
      ...{ outcome: "rate_limited", limit: "requests" },
      rule: { rule: RULE, value: "acme", allowed: 2 },
    });
  });

  test("is judged beside limits by model, and all of project, account and gateway", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100) }));
    const { accounts } = database().store;
    const project_id = newId("proj");
    const limits = { ...NO_LIMITS, tag_limits: [limit({ budget: budgetOf(60) })] };
    await accounts.createProject({ id: project_id, account_id: customer.account.id, name: "one", limits });
    await customer.changeKey({ project_id });
    const gateway: GatewayTags = {
      tags: [{ ...limit({ concurrent: 1 }), values: new Map([["big", { concurrent: 3 }]]) }],
    };
    const { tag_rules } = by(customer, "big", gateway);
    expect(tag_rules?.map(({ rule, concurrent }) => [rule, concurrent])).toEqual([
      [tagRule(project_id, "customer"), null],
      [RULE, null],
      [tagRule("gateway", "customer"), 3],
    ]);
    const rules = [{ rule: "account model *", value: "", rpm: 2, tpm: null, concurrent: null, budget: null }];
    expect(await customer.admit({ rules, tag_rules, hold_micro: micro(61) })).toMatchObject({
      rule: { rule: tagRule(project_id, "customer"), amount_micro: 60n },
    });
    await customer.hold({ rules, tag_rules, hold_micro: micro(10) });
    await customer.hold({ rules, tag_rules, hold_micro: micro(10) });
    expect(await customer.admit({ rules, tag_rules })).toMatchObject({ rule: { rule: "account model *" } });
    await customer.hold({ tag_rules, hold_micro: micro(10) });
    expect(await customer.admit({ tag_rules })).toMatchObject({ limit: "concurrency", rule: { allowed: 3 } });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("is counted through a crash, and renews by itself when its window is over", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100) }));
    await spend(customer, "acme", 90);
    const left = await customer.hold({ ...by(customer, "acme"), hold_micro: micro(10) });
    await customer.database.crash();
    expect(await customer.admit({ ...by(customer, "acme"), hold_micro: micro(11) })).toMatchObject({
      ...{ outcome: "budget_exceeded", remaining_micro: 10n },
    });
    // The request's own end comes after all.
    await customer.settle(left, { charge_micro: micro(4) });
    expect(await customer.admit({ ...by(customer, "acme"), hold_micro: micro(7) })).toMatchObject({
      remaining_micro: 6n,
    });
    await database().execute("UPDATE limit_counts SET spent_start_day = spent_start_day - 1");
    await customer.hold({ ...by(customer, "acme"), hold_micro: micro(100) });
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function ownTests(database: () => TestDatabase): void {
  test("has values with limits of their own, in place of those that all have", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(10), concurrent: 1 }));
    const { accounts } = database().store;
    const place = { account_id: customer.account.id, rule: RULE, value: "big" };
    expect(await accounts.setTagValue({ ...place, own: { budget: budgetOf(500) } })).toBe(true);
    await customer.hold({ ...by(customer, "big"), hold_micro: micro(300) });
    expect(await customer.admit({ ...by(customer, "big"), hold_micro: micro(1) })).toMatchObject({
      ...{ limit: "concurrency", rule: { value: "big", allowed: 1 } },
    });
    await accounts.setTagValue({ ...place, own: { budget: budgetOf(500), concurrent: 5 } });
    expect(await customer.admit({ ...by(customer, "big"), hold_micro: micro(201) })).toMatchObject({
      ...{ remaining_micro: 200n, rule: { value: "big", amount_micro: 500n } },
    });
    expect(await accounts.tagValue({ ...place, budget: budgetOf(10) }, "big")).toMatchObject({
      ...{ value: "big", open_count: 1, own: { concurrent: 5 }, use: { amount_micro: 500n, held_micro: 300n } },
    });
    await accounts.setTagValue({ ...place, own: null });
    expect(await customer.admit({ ...by(customer, "big"), hold_micro: micro(1) })).toMatchObject({
      limit: "concurrency",
    });
    expect(await accounts.setTagValue({ ...place, account_id: "acct_none", own: { rpm: 1 } })).toBe(false);
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function listTests(database: () => TestDatabase): void {
  test("lists its values by what they have spent in the window that runs, page by page, and by their beginning", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100, "month") }));
    const amounts = { a1: 5, a2: 70, b1: 30, b2: 30, c: 0 };
    for (const [value, amount] of Object.entries(amounts)) await spend(customer, value, amount);
    const { accounts } = database().store;
    const query = { account_id: customer.account.id, rule: RULE, budget: budgetOf(100, "month"), prefix: "", limit: 2 };
    const seen: string[] = [];
    for (let page = await accounts.tagValues(query); page.length > 0; ) {
      seen.push(...page.map(({ value, use }) => `${value} ${use?.spent_micro}`));
      const after = page.at(-1);
      page = after === undefined ? [] : await accounts.tagValues({ ...query, after });
    }
    expect(seen).toEqual(["a2 70", "b1 30", "b2 30", "a1 5", "c 0"]);
    expect((await accounts.tagValues({ ...query, prefix: "b" })).map(({ value }) => value)).toEqual(["b1", "b2"]);
    expect(await accounts.countTagValues(customer.account.id, RULE, "a")).toBe(2);
    await database().execute("UPDATE limit_counts SET spent_start_day = 5 WHERE value = 'a2'");
    expect((await accounts.tagValues(query))[0]).toMatchObject({ value: "b1" });
  });
}

function boundTests(database: () => TestDatabase): void {
  test("forgets values whose window is over, but for those that run or have limits of their own", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100) }));
    for (const value of ["old", "own", "new"]) await spend(customer, value, 5);
    await customer.hold({ ...by(customer, "runs"), hold_micro: micro(5) });
    const { accounts, upkeep } = database().store;
    const account_id = customer.account.id;
    await accounts.setTagValue({ account_id, rule: RULE, value: "own", own: { rpm: 9 } });
    await database().execute("UPDATE limit_counts SET used_ms = 5 WHERE value <> 'new'");
    for (let found = await upkeep.unneededTagValues(100); found !== null; ) {
      expect(await upkeep.dropTagValues(found)).toBeGreaterThan(0);
      found = await upkeep.unneededTagValues(100);
    }
    const query = { account_id, rule: RULE, budget: null, prefix: "", limit: 10 };
    expect((await accounts.tagValues(query)).map(({ value }) => value).toSorted()).toEqual(["new", "own", "runs"]);
    await spend(customer, "old", 100);
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("keeps no more values than it may: those used longest ago go, unless they were used meanwhile", async () => {
    const customer = await limited(database(), limit({ budget: budgetOf(100, "once") }));
    await database().execute("DELETE FROM limit_counts WHERE open_count = 0");
    for (const value of ["a", "b", "c", "d"]) await spend(customer, value, 5);
    for (const [value, ago] of [
      ["a", 3],
      ["b", 4],
      ["c", 1],
      ["d", 2],
    ] as const)
      await database().execute(`UPDATE limit_counts SET used_ms = used_ms - ${ago * 1000} WHERE value = '${value}'`);
    const { accounts, upkeep } = database().store;
    const found = await upkeep.unneededTagValues(2);
    expect(found?.values.toSorted()).toEqual(["a", "b"]);
    await spend(customer, "a", 5);
    if (found !== null) expect(await upkeep.dropTagValues(found)).toBe(1);
    const query = { account_id: customer.account.id, rule: RULE, budget: null, prefix: "", limit: 10 };
    expect((await accounts.tagValues(query)).map(({ value }) => value).toSorted()).toEqual(["a", "c", "d"]);
    expect(await upkeep.unneededTagValues(3)).toBeNull();
  });
}
