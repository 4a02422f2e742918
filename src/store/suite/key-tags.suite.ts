import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { KeyTagsPatch } from "../../core/people/keys.ts";
import { StoreConflict, type UsageTotals } from "../../core/store/ports.ts";
import { type Customer, newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";
import { dayNamed, spendOn, TODAY } from "./explore.suite.ts";

/** Tags of keys: by which keys are found and usage is grouped (docs/design/tags-and-projects.md). */
export function keyTagsSuite(database: () => TestDatabase): void {
  describe("tags of keys", () => {
    changeTests(database);
    filterTests(database);
    usageTests(database);
  });
}

const keyWith = (customer: Customer, tags: KeyTagsPatch) =>
  customer.database.store.accounts.createKey(newKey(customer.account.id, { tags }));

function changeTests(database: () => TestDatabase): void {
  test("are set with the key, changed one by one, and taken away, and each change counts the key's version up", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    const made = await keyWith(customer, { team: "search", env: "prod" });
    expect(made.tags).toEqual({ env: "prod", team: "search" });
    const changed = await accounts.updateKey(made.id, { tags: { team: "ads", env: null, constructor: "x=y" } });
    expect(changed?.tags).toEqual({ constructor: "x=y", team: "ads" });
    expect(changed?.version).toBeGreaterThan(made.version);
    const renamed = await accounts.updateKey(made.id, { name: "other" });
    expect(renamed?.tags).toEqual({ constructor: "x=y", team: "ads" });
    expect(await accounts.updateKey(made.id, { tags: null })).not.toHaveProperty("tags");
    expect(customer.key).not.toHaveProperty("tags");
  });

  test("more than sixteen are refused with the tag that is too many, and nothing is changed", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`tag-${at}`, "x"]));
    const { id } = await keyWith(customer, sixteen);
    const refused = await rejectionOf(accounts.updateKey(id, { name: "new", tags: { more: "x", "tag-3": "y" } }));
    expect(refused).toBeInstanceOf(StoreConflict);
    expect(String(refused)).toContain("17 tags with 'more'; allowed: at most 16");
    expect(await accounts.findKey(id)).toMatchObject({ name: "key", tags: sixteen });
    const swapped = await accounts.updateKey(id, { tags: { more: "x", "tag-3": null } });
    expect(Object.keys(swapped?.tags ?? {})).toHaveLength(16);
  });
}

function filterTests(database: () => TestDatabase): void {
  test("find the keys that have a value, or lack the tag, page by page, and no other account's", async () => {
    const customer = await newCustomer(database(), 0);
    const stranger = await newCustomer(database(), 0);
    await keyWith(stranger, { team: "search" });
    const { accounts } = customer.database.store;
    const [first, second] = [
      await keyWith(customer, { team: "search" }),
      await keyWith(customer, { team: "search", env: "prod" }),
    ];
    const ads = await keyWith(customer, { team: "ads" });
    const { id } = customer.account;
    const found = async (name: string, value: string, query: object = {}) =>
      (await accounts.searchKeys(id, { limit: 9, tag: { name, value }, ...query })).map((key) => key.id).toSorted();
    const ids = (...keys: readonly { id: string }[]) => keys.map((key) => key.id).toSorted();
    expect(await found("team", "search")).toEqual(ids(first, second));
    expect(await found("team", "ads")).toEqual(ids(ads));
    expect(await found("team", "")).toEqual(ids(customer.key));
    expect(await found("constructor", "")).toHaveLength(4);
    expect(await found("team", "nobody")).toEqual([]);
    const [newest] = await accounts.searchKeys(id, { limit: 1, tag: { name: "team", value: "search" } });
    const rest = await found("team", "search", { before_id: newest?.id });
    expect([...rest, newest?.id ?? ""].toSorted()).toEqual(ids(first, second));
    expect(await accounts.listTagNames(id, 9)).toEqual([
      { name: "env", key_count: 1 },
      { name: "team", key_count: 3 },
    ]);
    expect(await accounts.listTagNames(id, 1)).toEqual([{ name: "env", key_count: 1 }]);
    await accounts.deleteKey(second.id);
    expect(await accounts.listTagNames(id, 1)).toEqual([{ name: "env", key_count: 0 }]);
    expect((await accounts.listTagNames(null, 500)).map(({ name }) => name)).toContain("team");
  });
}

/** Values for the tag of each of a few keys (null: none), and what each key spent on a day. */
const HISTORY = fc.record({
  tags: fc.array(fc.constantFrom("search", "ads", "…", null), { minLength: 1, maxLength: 4 }),
  spent: fc.uniqueArray(
    fc.record({ key: fc.nat(3), day: fc.nat(2), cost: fc.nat(1_000_000), count: fc.integer({ min: 1, max: 9 }) }),
    { selector: ({ key, day }) => `${key} ${day}`, maxLength: 8 },
  ),
  deleted: fc.option(fc.nat(3)),
});

function usageTests(database: () => TestDatabase): void {
  test("group usage by the key's present value: the groups add up to the whole, whatever the tags", async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async ({ tags, spent, deleted }) => {
        const customer = await newCustomer(database(), 0);
        const { accounts } = customer.database.store;
        const keys = [];
        for (const team of tags) keys.push(await keyWith(customer, team === null ? null : { team, env: "prod" }));
        const keyOf = (at: number) => at % keys.length;
        const rows = new Map(
          spent.map((each) => [`${keyOf(each.key)} ${each.day}`, { ...each, key: keyOf(each.key) }]),
        );
        for (const { key, day, cost, count } of rows.values())
          await spendOn(customer, TODAY - day, [{ key: keys[key]?.id ?? "", model: "a/x", cost, count }]);
        if (deleted !== null) await accounts.deleteKey(keys[keyOf(deleted)]?.id ?? "");

        const asked = { account_id: customer.account.id, since: dayNamed(TODAY - 9), until: dayNamed(TODAY) };
        const expected = new Map<string, Micro>();
        for (const { key, cost } of rows.values()) {
          const group = tags[key] ?? "";
          expected.set(group, add(expected.get(group) ?? ZERO, BigInt(cost) as Micro));
        }
        const report = await accounts.usageReport({ ...asked, by: "tag", tag: "team" });
        expect(new Map(report.map(({ group, cost_micro }) => [group, cost_micro]))).toEqual(expected);

        const explored = { ...asked, tag: "team", group: "tag", limit: 100 } as const;
        const whole = await accounts.exploreUsage({ ...explored, group: null, by_day: true, top: null });
        for (const top of [1, null])
          for (const by_day of [true, false]) {
            const found = await accounts.exploreUsage({ ...explored, by_day, top });
            expect(found.total).toEqual(whole.total);
            expect(sums(found.groups)).toEqual(sums([whole.total]));
            expect(sums(found.rows)).toEqual(sums([whole.total]));
          }
        await customer.database.execute(`DELETE FROM usage_days WHERE account_id = '${customer.account.id}'`);
      }),
      { numRuns: 12 },
    );
  });

  test("a key whose tag is changed takes all of its usage along, also within a project", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    const { id } = await keyWith(customer, { team: "search" });
    await spendOn(customer, TODAY, [
      { key: id, model: "a/x", cost: 5 },
      { model: "a/x", cost: 7 },
    ]);
    const asked = { account_id: customer.account.id, since: null, until: null, by: "tag", tag: "team" } as const;
    const groups = async (more: object = {}) =>
      (await accounts.usageReport({ ...asked, ...more })).map(({ group, cost_micro }) => [group, Number(cost_micro)]);
    const before = [
      ["", 7],
      ["search", 5],
    ];
    expect(await groups()).toEqual(before);
    expect(await groups({ project_id: "" })).toEqual(before);
    expect(await groups({ project_id: "proj_none" })).toEqual([]);
    await accounts.updateKey(id, { tags: { team: "ads" } });
    expect(await groups()).toEqual([
      ["", 7],
      ["ads", 5],
    ]);
    await accounts.updateKey(id, { tags: { team: null } });
    expect(await groups()).toEqual([["", 12]]);
    expect(await groups({ tag: "constructor" })).toEqual([["", 12]]);
    await customer.database.execute(`DELETE FROM usage_days WHERE account_id = '${customer.account.id}'`);
  });
}

function sums(parts: readonly UsageTotals[]) {
  const count = (of: (part: UsageTotals) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    cost_micro: parts.reduce<Micro>((total, part) => add(total, part.cost_micro), ZERO),
    tokens: count((part) => part.prompt_tokens + part.completion_tokens),
    requests: count((part) => part.request_count),
    answered: count((part) => part.success_count),
  };
}
