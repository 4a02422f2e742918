import { describe, expect, test } from "bun:test";
import { micro } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import { StoreConflict, type UsageExploreQuery } from "../../core/store/ports.ts";
import { type Customer, newCustomer, newKey, rejectionOf, type TestDatabase } from "./books.ts";

/** Sums of usage for tables and charts. */
export function exploreSuite(database: () => TestDatabase): void {
  describe("the usage explorer", () => {
    groupTests(database);
    orderTests(database);
    filterTests(database);
  });
}

export const TODAY = Math.floor(Date.now() / 86_400_000);
export const dayNamed = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

interface Spent {
  readonly key?: string;
  readonly model: string;
  readonly cost: number;
  readonly count?: number;
}

/** Usage as it would have been counted on a day. */
export async function spendOn(customer: Customer, day: number, spent: readonly Spent[]): Promise<void> {
  for (const { key = customer.key.id, model, cost, count = 1 } of spent) {
    await customer.database.execute(
      `INSERT INTO usage_days (account_id, day, key_id, model, cost_micro, prompt_tokens, completion_tokens, ended_count, success_count)
        VALUES ('${customer.account.id}', ${day}, '${key}', '${model}', ${cost}, ${cost * 2}, ${cost * 3}, ${count}, ${count})`,
    );
  }
}

/** Taken away again, so that the books match their requests. */
function forget(customer: Customer): Promise<unknown> {
  return customer.database.execute(`DELETE FROM usage_days WHERE account_id = '${customer.account.id}'`);
}

const explore = async (customer: Customer, query: Partial<UsageExploreQuery>) => {
  const range = { since: dayNamed(TODAY - 9), until: dayNamed(TODAY) };
  const shape = { by_day: true, group: null, top: 10, limit: 1000 } as const;
  const found = await customer.database.store.accounts.exploreUsage({
    account_id: customer.account.id,
    ...range,
    ...shape,
    ...query,
  });
  return {
    groups: found.groups.map(({ id, cost_micro }) => [id, Number(cost_micro)]),
    rows: found.rows.map(({ day, group, cost_micro }) => [day, group, Number(cost_micro)]),
    total: found.total,
  };
};
const [first, last] = [dayNamed(TODAY - 2), dayNamed(TODAY)];

async function busyCustomer(database: TestDatabase): Promise<[customer: Customer, second_key: string]> {
  const customer = await newCustomer(database, 0);
  const { id: second } = await customer.database.store.accounts.createKey(newKey(customer.account.id));
  await spendOn(customer, TODAY - 40, [{ model: "a/old", cost: 999 }]);
  await spendOn(customer, TODAY - 2, [
    { model: "a/x", cost: 5 },
    { model: "a/y", cost: 7 },
    { model: "a/y", cost: 1, key: second },
  ]);
  await spendOn(customer, TODAY, [
    { model: "a/x", cost: 4 },
    { model: "a/z", cost: 2 },
  ]);
  return [customer, second];
}

function groupTests(database: () => TestDatabase): void {
  test("adds up by day, by key and by model, dearest first", async () => {
    const [customer, second] = await busyCustomer(database());
    const total = {
      cost_micro: micro(19),
      prompt_tokens: 38,
      completion_tokens: 57,
      request_count: 5,
      success_count: 5,
      ...NO_UNITS,
    };
    expect(await explore(customer, {})).toEqual({
      groups: [],
      rows: [
        [first, null, 13],
        [last, null, 6],
      ],
      total,
    });
    const models = [
      ["a/x", 9],
      ["a/y", 8],
      ["a/z", 2],
    ];
    expect(await explore(customer, { by_day: false, group: "model" })).toEqual({
      groups: models,
      rows: models.map((model) => [null, ...model]),
      total,
    });
    const keys = (await explore(customer, { by_day: false, group: "key" })).groups;
    expect(keys).toEqual([
      [customer.key.id, 18],
      [second, 1],
    ]);
    await forget(customer);
  });

  test("stacks days, in the order of the groups", async () => {
    const [customer, second] = await busyCustomer(database());
    expect((await explore(customer, { group: "model" })).rows).toEqual([
      [first, "a/x", 5],
      [first, "a/y", 8],
      [last, "a/x", 4],
      [last, "a/z", 2],
    ]);
    expect((await explore(customer, { group: "key" })).rows).toEqual([
      [first, customer.key.id, 12],
      [first, second, 1],
      [last, customer.key.id, 6],
    ]);
    await forget(customer);
  });

  test("puts what is not among the dearest together, without losing anything", async () => {
    const [customer] = await busyCustomer(database());
    const { groups, rows, total } = await explore(customer, { group: "model", top: 1 });
    expect(groups).toEqual([
      ["a/x", 9],
      [null, 10],
    ]);
    expect(rows).toEqual([
      [first, "a/x", 5],
      [first, null, 8],
      [last, "a/x", 4],
      [last, null, 2],
    ]);
    expect(Number(total.cost_micro)).toBe(19);
    expect((await explore(customer, { by_day: false, group: "model", top: 2 })).rows).toEqual([
      [null, "a/x", 9],
      [null, "a/y", 8],
      [null, null, 2],
    ]);
    await forget(customer);
  });
}

function orderTests(database: () => TestDatabase): void {
  test("gives models that cost the same in one order, stacked and as a whole", async () => {
    const customer = await newCustomer(database(), 0);
    await spendOn(customer, TODAY - 1, [
      { model: "a/b", cost: 4 },
      { model: "a/B", cost: 4 },
      { model: "a/many", cost: 4, count: 2 },
      { model: "a/dear", cost: 5 },
    ]);
    await spendOn(customer, TODAY, [{ model: "a/none", cost: 0, count: 0 }]);
    const expected = [
      ["a/dear", 5],
      ["a/many", 4],
      ["a/B", 4],
      ["a/b", 4],
    ];
    for (const by_day of [true, false]) {
      expect((await explore(customer, { group: "model", by_day })).groups).toEqual(expected);
    }
    expect((await explore(customer, { group: "model", limit: 2 })).rows).toHaveLength(2);
    await forget(customer);
  });
}

function filterTests(database: () => TestDatabase): void {
  test("takes one key or one model, and ends where it is told to", async () => {
    const [customer, second] = await busyCustomer(database());
    expect((await explore(customer, { key_id: second })).rows).toEqual([[first, null, 1]]);
    expect((await explore(customer, { model: "a/y", group: "key", by_day: false })).groups).toEqual([
      [customer.key.id, 7],
      [second, 1],
    ]);
    expect((await explore(customer, { until: first, group: "model", by_day: false })).groups).toHaveLength(2);
    expect((await explore(customer, { group: "model", limit: 2 })).rows).toHaveLength(2);
    expect(await explore(customer, { model: "a/none" })).toMatchObject({ rows: [], total: { request_count: 0 } });
    expect(await rejectionOf(explore(customer, { since: "2026-02-30" }))).toBeInstanceOf(StoreConflict);
    await forget(customer);
  });

  test("of all accounts holds them all", async () => {
    const [customer] = await busyCustomer(database());
    const { groups } = await explore(customer, { account_id: null, group: "key", by_day: false, top: null });
    expect(groups).toContainEqual([customer.key.id, 18]);
    await forget(customer);
  });
}
