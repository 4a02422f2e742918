import { describe, expect, test } from "bun:test";
import { answerDigest } from "../../core/answer/answer-digest.ts";
import { micro } from "../../core/money/money.ts";
import { NO_UNITS } from "../../core/money/price-classes.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { type Customer, newCustomer, OUTCOME, rejectionOf, settleOp, type TestDatabase } from "./books.ts";

export function reportsSuite(database: () => TestDatabase): void {
  describe("usage", () => {
    usageTests(database);
    unitTests(database);
  });
  describe("requests", () => {
    lookUpTests(database);
    listTests(database);
  });
}

const USAGE = { ...NO_USAGE, input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 4, output_tokens: 8 };

async function call(customer: Customer, model = "acme/swift"): Promise<string> {
  const request_id = await customer.hold({ model });
  await customer.settle(request_id, { model, usage: USAGE });
  return request_id;
}

function usageTests(database: () => TestDatabase): void {
  test("counts all input, all requests and those that were answered", async () => {
    const customer = await newCustomer(database(), 1000);
    await call(customer);
    await customer.settle(await customer.hold(), { success: false, usage: USAGE });
    await customer.void(await customer.hold());
    const { id: account_id } = customer.account;
    await customer.commit({ op: "count-refusal", account_id, key_id: customer.key.id, model: null, rpm: 600 });
    await customer.admit({ hold_micro: micro(5000) });
    const open = await customer.hold();

    const totals = {
      cost_micro: micro(80),
      prompt_tokens: 14,
      completion_tokens: 16,
      request_count: 5,
      success_count: 1,
      ...NO_UNITS,
    };
    const { accounts } = database().store;
    expect(await accounts.usageWindows(account_id)).toEqual({ daily: totals, weekly: totals, monthly: totals });
    const all_micro = {
      total_micro: micro(80),
      daily_micro: micro(80),
      weekly_micro: micro(80),
      monthly_micro: micro(80),
    };
    expect(await accounts.keyUsage(account_id, customer.key.id)).toEqual(all_micro);
    expect((await accounts.keyUsage(account_id, "key_nobody")).total_micro).toBe(micro(0));
    await customer.void(open);
    expect((await accounts.usageWindows(account_id)).daily.request_count).toBe(6);
  });

  test("of an account without any is nothing", async () => {
    const nothing = {
      cost_micro: micro(0),
      prompt_tokens: 0,
      completion_tokens: 0,
      request_count: 0,
      success_count: 0,
      ...NO_UNITS,
    };
    const windows = await database().store.accounts.usageWindows("acct_nobody");
    expect(windows).toEqual({ daily: nothing, weekly: nothing, monthly: nothing });
  });

  test("is summed up by key, model and day, within days", async () => {
    const customer = await newCustomer(database(), 1000);
    const { store, execute } = database();
    await call(customer);
    await call(customer);
    // The first of 2020, a Wednesday.
    await execute(`UPDATE usage_days SET day = 18262 WHERE key_id = '${customer.key.id}'`);
    await call(customer, "acme/mini");
    const { id: account_id } = customer.account;
    type By = "key" | "model" | "day" | "account";
    const report = async (by: By, since: string | null = null, until: string | null = null) =>
      (await store.accounts.usageReport({ account_id, since, until, by })).map((row) => [row.group, row.request_count]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await report("key")).toEqual([[customer.key.id, 3]]);
    expect(await report("model")).toEqual([
      ["acme/mini", 1],
      ["acme/swift", 2],
    ]);
    expect(await report("day")).toEqual([
      ["2020-01-01", 2],
      [today, 1],
    ]);
    expect(await report("day", "2020-01-02")).toEqual([[today, 1]]);
    expect(await report("model", "2020-01-01", "2020-01-01")).toEqual([["acme/swift", 2]]);
    expect(await report("day", null, "2019-12-31")).toEqual([]);
    const everyone = await store.accounts.usageReport({ account_id: null, since: null, until: null, by: "key" });
    expect(everyone.map(({ group }) => group)).toContain(customer.key.id);
    expect(await report("account")).toEqual([[account_id, 3]]);
    const accounts = await store.accounts.usageReport({ account_id: null, since: today, until: null, by: "account" });
    expect(accounts.find(({ group }) => group === account_id)?.request_count).toBe(1);
    expect(await rejectionOf(report("day", "2020-02-30"))).toBeInstanceOf(StoreConflict);
    // Put back, so that the books match the requests again.
    await execute(`UPDATE usage_days SET day = ${Math.floor(Date.now() / 86_400_000)} WHERE day = 18262`);
  });
}

function unitTests(database: () => TestDatabase): void {
  test("counts what is charged beside tokens, by model, project and tag, and not where there is none", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const extra = { units: { images: 3, input_seconds: 90 } };
    // Other tests tag requests of all accounts at random.
    const team = `art of ${customer.account.id}`;
    const tagged = await customer.hold({ model: "acme/draws", tags: JSON.stringify({ team }) });
    await customer.settle(tagged, { model: "acme/draws", usage: { ...NO_USAGE, extra } });
    await call(customer);
    const { daily } = await accounts.usageWindows(customer.account.id);
    expect(daily).toMatchObject({ ...NO_UNITS, images: 3, input_seconds: 90 });
    for (const account_id of [customer.account.id, null]) {
      const asked = { account_id, since: null, until: null } as const;
      const rows = await accounts.usageReport({ ...asked, by: "model" });
      expect(rows.find(({ group }) => group === "acme/draws")).toMatchObject({ images: 3, searches: 0 });
      const by_tag = await accounts.usageReport({ ...asked, by: "tag", tag: "team" });
      expect(by_tag.find(({ group }) => group === team)).toMatchObject({ images: 3, input_seconds: 90 });
    }
  });
}

function lookUpTests(database: () => TestDatabase): void {
  test("are found by our id, and the newest by the client's", async () => {
    const [customer, other] = [await newCustomer(database(), 1000), await newCustomer(database(), 1000)];
    const { accounts } = database().store;
    const client_request_id = `client-${customer.account.id}`;
    const first = await customer.hold({ client_request_id });
    const second = await customer.hold({ client_request_id });
    const foreign = await other.hold({ client_request_id });
    expect((await accounts.findRequest(customer.account.id, first))?.id).toBe(first);
    expect((await accounts.findRequest(customer.account.id, client_request_id))?.id).toBe(second);
    expect((await accounts.findRequest(null, client_request_id))?.id).toBe(foreign);
    expect((await accounts.findRequest(null, first))?.id).toBe(first);
    expect(await accounts.findRequest(customer.account.id, foreign)).toBeNull();
    expect(await accounts.findRequest(customer.account.id, "req_none")).toBeNull();
  });

  test("are found by their answer's own id, the newest first, and by nobody else", async () => {
    const [customer, other] = [await newCustomer(database(), 1000), await newCustomer(database(), 1000)];
    const { accounts } = database().store;
    const answer_id = `chatcmpl-${customer.account.id}`;
    const outcome = { ...OUTCOME, answer_digest: answerDigest(answer_id) };
    const first = await customer.hold();
    // Of two in one millisecond neither is the newer one over all accounts.
    await Bun.sleep(2);
    const ids = [first, await customer.hold()];
    for (const request_id of ids) await customer.settle(request_id, { outcome });
    expect((await accounts.findRequest(customer.account.id, answer_id))?.id).toBe(ids[1] ?? "");
    expect((await accounts.findRequest(null, answer_id))?.id).toBe(ids[1] ?? "");
    expect(await accounts.findRequest(other.account.id, answer_id)).toBeNull();
  });
}

function listTests(database: () => TestDatabase): void {
  test("are listed newest first, filtered, and page by page without a gap where a batch made many at once", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const account_id = customer.account.id;
    const ops = ["a", "b", "c", "d", "e"].map((model) => customer.admitOp({ model }));
    await customer.commit(...ops);
    await customer.commit(settleOp(ops[1]?.request_id ?? "", { model: "b" }));
    const newest_first = ops.map(({ request_id }) => request_id).reverse();
    const list = async (query: object) =>
      (await accounts.listRequests({ account_id, limit: 10, ...query })).requests.map(({ id }) => id);

    expect(await list({})).toEqual(newest_first);
    const paged = [];
    for (let page = await list({ limit: 2 }); page.length > 0; ) {
      paged.push(...page);
      page = await list({ limit: 2, before_id: page.at(-1) });
    }
    expect(paged).toEqual(newest_first);
    expect(await list({ status: "settled" })).toEqual([ops[1]?.request_id ?? ""]);
    expect(await list({ model: "c", key_id: customer.key.id })).toEqual([ops[2]?.request_id ?? ""]);
    expect(await list({ key_id: "key_none" })).toEqual([]);
    expect(await list({ to_ms: 1 })).toEqual([]);
    const all = await accounts.listRequests({ account_id: null, limit: 3 });
    // Requests of all accounts are ordered by their ids, which within a millisecond are in no order.
    const by_id = newest_first.toSorted().reverse();
    expect(all.requests.map(({ id }) => id)).toEqual(by_id.slice(0, 3));
    const rest = await accounts.listRequests({ account_id: null, limit: 2, before_id: by_id[2] ?? "" });
    expect(rest.requests.map(({ id }) => id)).toEqual(by_id.slice(3));
  });
}
