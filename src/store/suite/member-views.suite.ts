import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { Customer, newCustomer, newKey, rejectionOf, settleOp, type TestDatabase } from "./books.ts";
import { dayNamed, spendOn, TODAY } from "./explore.suite.ts";

/** The reads of the console's member views. */
export function memberViewsSuite(database: () => TestDatabase): void {
  describe("the overview", () => overviewTests(database));
  describe("the list of requests", () => {
    filterTests(database);
    boundTests(database);
  });
  describe("entries", () => entryTests(database));
  describe("playground keys", () => playgroundTests(database));
  describe("budgets", () => budgetTests(database));
}

function overviewTests(database: () => TestDatabase): void {
  test("shows an account with its windows, its days and its requests, all from one moment", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    await customer.settle(await customer.hold(), { charge_micro: micro(40) });
    const running = await customer.hold();
    await spendOn(customer, TODAY - 1, [{ model: "acme/mini", cost: 3 }]);
    await spendOn(customer, TODAY - 45, [{ model: "acme/mini", cost: 500 }]);

    const found = await accounts.readOverview(customer.account.id);
    expect(found?.account).toMatchObject({ id: customer.account.id, balance_micro: 860n, held_micro: 100n });
    expect(found?.running_count).toBe(1);
    expect(found?.running.map(({ id }) => id)).toEqual([running]);
    expect(found?.latest.map(({ status }) => status)).toEqual(["held", "settled"]);
    const { day, week, month } = found?.spend ?? fail();
    expect([day.since, day.previous_since]).toEqual([dayNamed(TODAY), dayNamed(TODAY - 1)]);
    expect([day.current.cost_micro, day.previous.cost_micro, day.previous_so_far.cost_micro]).toEqual([
      micro(40),
      micro(3),
      micro(3),
    ]);
    expect(new Date(week.since).getUTCDay()).toBe(1);
    expect(Date.parse(week.since) - Date.parse(week.previous_since)).toBe(7 * 86_400_000);
    expect(month.since).toBe(`${dayNamed(TODAY).slice(0, 7)}-01`);
    expect(month.previous_since).toEndWith("-01");
    for (const { current, previous } of [week, month])
      expect(current.cost_micro + previous.cost_micro >= 43n).toBe(true);
    expect(found?.usage.since).toBe(dayNamed(TODAY - 29));
    expect(found?.usage.rows.map(({ day: on, group, cost_micro }) => [on, group, Number(cost_micro)])).toEqual([
      [dayNamed(TODAY - 1), "acme/mini", 3],
      [dayNamed(TODAY), "acme/swift", 40],
    ]);
    await database().execute(`DELETE FROM usage_days WHERE account_id = '${customer.account.id}' AND day < ${TODAY}`);
    await customer.void(running);
  });

  test("knows only ids, of accounts that exist", async () => {
    const { accounts } = database().store;
    const customer = await newCustomer(database(), 0);
    expect(await accounts.readOverview("acct_nobody")).toBeNull();
    expect(await accounts.readOverview(customer.account.email)).toBeNull();
    expect(await accounts.readPulse("acct_nobody")).toBeNull();
  });

  test("has a pulse that follows holds and charges", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const { id } = customer.account;
    expect(await accounts.readPulse(id)).toMatchObject({ running_count: 0, running: [], latest_id: null });
    const ops = Array.from({ length: 25 }, () => customer.admitOp({ hold_micro: micro(1) }));
    await customer.commit(...ops);
    const pulse = await accounts.readPulse(id);
    expect(pulse).toMatchObject({ running_count: 25, latest_id: ops.at(-1)?.request_id });
    expect(pulse?.account).toMatchObject({ balance_micro: 975n, held_micro: 25n });
    expect(pulse?.running.map((each) => each.id)).toEqual(
      ops
        .map(({ request_id }) => request_id)
        .reverse()
        .slice(0, 20),
    );
    await customer.commit(...ops.map(({ request_id }) => settleOp(request_id, { charge_micro: micro(1) })));
    expect(await accounts.readPulse(id)).toMatchObject({ running_count: 0, running: [] });
  });
}

function fail(): never {
  throw new Error("the overview is missing");
}

/** The list of all accounts is in the order of the ids, which begin with the millisecond, and go on at random. */
async function nextMillisecond(): Promise<void> {
  for (const now_ms = Date.now(); Date.now() === now_ms; ) await Bun.sleep(1);
}

function filterTests(database: () => TestDatabase): void {
  test("filters by endpoint and by time, and shows what runs now", async () => {
    const customer = await newCustomer(database(), 1000);
    const other = await newCustomer(database(), 1000);
    const { store, execute } = database();
    const before_ms = Date.now() - 1000;
    const chat = await customer.hold();
    await nextMillisecond();
    const decision = await customer.hold({ endpoint: "decisions" });
    const foreign = await other.hold();
    const account_id = customer.account.id;
    const ids = async (query: object) =>
      (await store.accounts.listRequests({ account_id, limit: 10, ...query })).requests.map(({ id }) => id);
    const of_all = { account_id: null, key_id: customer.key.id, model: "acme/swift" } as const;
    expect(await ids({ ...of_all, from_ms: before_ms, to_ms: before_ms + 3_600_000 })).toEqual([decision, chat]);
    expect(await ids({ ...of_all, to_ms: before_ms })).toEqual([]);
    await execute(`UPDATE requests SET created_ms = 1000 WHERE id = '${chat}'`);
    await execute(`UPDATE requests SET created_ms = 2000 WHERE id = '${decision}'`);
    expect(await ids({ endpoint: "decisions" })).toEqual([decision]);
    expect(await ids({ from_ms: 1000, to_ms: 2000 })).toEqual([chat]);
    expect(await ids({ from_ms: 1001 })).toEqual([decision]);
    expect(await ids({ status: "held" })).toEqual([decision, chat]);
    expect(await ids({ status: "held", before_id: decision })).toEqual([chat]);
    expect(await ids({ account_id: null, status: "held" })).toContain(foreign);
    await customer.settle(chat);
    expect(await ids({ status: "held", endpoint: "decisions" })).toEqual([decision]);
    expect(await ids({ status: "settled", from_ms: 1000 })).toEqual([chat]);
    await customer.void(decision);
    await other.void(foreign);
  });

  test("finds by the beginning of our id and of the client's, within the account", async () => {
    const [customer, other] = [await newCustomer(database(), 1000), await newCustomer(database(), 1000)];
    const name = `job-${customer.account.id}`;
    const one = await customer.hold({ client_request_id: `${name}-1` });
    await nextMillisecond();
    const two = await customer.hold({ client_request_id: `${name}-2` });
    await nextMillisecond();
    const foreign = await other.hold({ client_request_id: `${name}-3` });
    const { accounts } = database().store;
    const find = async (search: string, more: object = {}) =>
      (await accounts.listRequests({ account_id: customer.account.id, limit: 10, search, ...more })).requests.map(
        ({ id }) => id,
      );
    expect(await find(name)).toEqual([two, one]);
    expect(await find(`${name}-1`)).toEqual([one]);
    expect(await find(name, { account_id: null })).toEqual([foreign, two, one]);
    expect(await find(name, { limit: 1, before_id: two })).toEqual([one]);
    expect(await find(one)).toEqual([one]);
    expect(await find(one.slice(0, 20))).toContain(one);
    expect(await find(foreign)).toEqual([]);
    expect(await find(name, { status: "settled" })).toEqual([]);
    // Characters with a meaning in patterns are plain text here.
    expect(await find("%")).toEqual([]);
    for (const id of [one, two]) await customer.void(id);
    await other.void(foreign);
  });
}

function boundTests(database: () => TestDatabase): void {
  test("gives up a page after so many that did not fit, and says where to go on", async () => {
    const customer = await newCustomer(database(), 1_000_000);
    const { accounts } = database().store;
    const account_id = customer.account.id;
    const oldest = await customer.hold({ model: "acme/rare" });
    await customer.void(oldest);
    await copyRequests(database(), oldest, 50_000);
    const page = { account_id, model: "acme/rare", limit: 3 };
    const none = await accounts.listRequests(page);
    expect(none.requests).toEqual([]);
    expect(none.next_before).not.toBeNull();
    expect(none.searched_back_to_ms).toEqual(expect.any(Number));
    const found = await accounts.listRequests({ ...page, before_id: none.next_before ?? "" });
    expect(found).toMatchObject({ requests: [{ id: oldest }], next_before: null, searched_back_to_ms: null });
    const unfiltered = await accounts.listRequests({ account_id, limit: 3 });
    expect(unfiltered).toMatchObject({ next_before: unfiltered.requests[2]?.id });
    await database().execute(
      `DELETE FROM requests WHERE account_id = '${account_id}' AND model_no = (SELECT no FROM texts WHERE digest = 'common')`,
    );
  }, 60_000);

  test("says how much of a hold was added while the request ran", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const request_id = await customer.hold();
    const found = async () => accounts.findRequest(customer.account.id, request_id);
    expect(await found()).toMatchObject({ hold_micro: 100n, extended_micro: 0n });
    await customer.extend(request_id, 30);
    await customer.extend(request_id, 12);
    expect(await found()).toMatchObject({ hold_micro: 142n, extended_micro: 42n });
    await customer.commit<Parameters<typeof customer.commit>[0]>(
      { op: "extend", request_id, add_micro: micro(8) },
      settleOp(request_id, { usage: NO_USAGE }),
    );
    expect(await found()).toMatchObject({ status: "settled", hold_micro: 150n, extended_micro: 50n });
  });
}

/** Copies a request that has ended, with ids of their own, past the store: too many to admit one by one. */
async function copyRequests(database: TestDatabase, id: string, count: number): Promise<void> {
  const columns = `client_request_id, account_id, key_id, endpoint_no, requested_model, price_no, status, node_id, created_ms,
    deadline_ms, hold_micro, ended_ms`;
  await database.execute("INSERT INTO texts (digest, text) VALUES ('common', 'acme/common') ON CONFLICT DO NOTHING");
  await database.execute(
    `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})
      INSERT INTO requests (id, model_no, ${columns})
      SELECT '${id}' || n, (SELECT no FROM texts WHERE digest = 'common'), ${columns} FROM requests JOIN copies ON id = '${id}' ORDER BY n`,
  );
}

function entryTests(database: () => TestDatabase): void {
  test("are listed by kind, page by page, and found by the request that they charge for", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const { id: account_id } = customer.account;
    const request_id = await customer.hold();
    await customer.settle(request_id);
    await customer.credit(5);
    await accounts.addEntry({ account_id, kind: "correction", amount_micro: micro(-1), note: "", actor: "test" });
    const amounts = async (query: object, limit = 10) =>
      (await accounts.listEntries(account_id, limit, query)).map(({ amount_micro }) => Number(amount_micro));
    expect(await amounts({ kind: "credit" })).toEqual([5, 1000]);
    expect(await amounts({ kind: "charge" })).toEqual([-40]);
    expect(await amounts({ kind: "correction" })).toEqual([-1]);
    const [newest] = await accounts.listEntries(account_id, 1, { kind: "credit" });
    expect(await amounts({ kind: "credit", before_id: newest?.id })).toEqual([1000]);
    expect(await accounts.findCharge(request_id)).toMatchObject({ request_id, amount_micro: -40n, kind: "charge" });
    expect(await accounts.findCharge("req_none")).toBeNull();
  });
}

function playgroundTests(database: () => TestDatabase): void {
  const renewal = (account_id: string, user_id: string) => ({
    ...{ id: newId("key"), account_id, user_id, hash: newId("key"), hint: "wxyz" },
    expires_ms: Date.now() + 60_000,
  });

  test("are one for each user and account: renewing changes the secret and nothing else", async () => {
    const customer = await newCustomer(database(), 100);
    const { accounts } = database().store;
    const { id: account_id } = customer.account;
    const first = renewal(account_id, "user_ann");
    const made = await accounts.renewPlaygroundKey(first);
    expect(made).toMatchObject({ id: first.id, name: "Playground", status: "active", playground_of: "user_ann" });
    expect(made).toMatchObject({ expires_ms: first.expires_ms, models: null, aliases: [] });
    const second = renewal(account_id, "user_ann");
    const renewed = await accounts.renewPlaygroundKey(second);
    expect(renewed).toMatchObject({ id: first.id, version: made.version + 1, expires_ms: second.expires_ms });
    expect(await accounts.findKeyByHash(first.hash)).toBeNull();
    expect((await accounts.findKeyByHash(second.hash))?.id).toBe(first.id);
    const others = await accounts.renewPlaygroundKey(renewal(account_id, "user_bob"));
    expect(others.id).not.toBe(first.id);
    const listed = (await accounts.listKeys(account_id)).map(({ playground_of = "none" }) => playground_of);
    expect(listed.toSorted()).toEqual(["none", "user_ann", "user_bob"]);
    const before = new Customer(database(), customer.account, made);
    expect(await before.admit({ hold_micro: micro(1) })).toMatchObject({ outcome: "stale_key" });
    const after = new Customer(database(), customer.account, renewed);
    expect(await after.admit({ hold_micro: micro(1) })).toMatchObject({ outcome: "admitted" });
  });

  test("that someone has disabled make room for new ones", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = database().store;
    const { id: account_id } = customer.account;
    const { id } = await accounts.renewPlaygroundKey(renewal(account_id, "user_ann"));
    await accounts.setKeyStatus(id, "revoked");
    const renewed = await accounts.renewPlaygroundKey(renewal(account_id, "user_ann"));
    expect(renewed).toMatchObject({ status: "active" });
    expect(renewed.id).not.toBe(id);
    expect(await accounts.findKey(id)).toBeNull();
    await accounts.deleteKey(renewed.id);
    expect((await accounts.renewPlaygroundKey(renewal(account_id, "user_ann"))).id).not.toBe(renewed.id);
    const labels = await accounts.labelKeys([id, customer.key.id, id, "key_none"]);
    expect(labels.toSorted((a, b) => Number(a.deleted) - Number(b.deleted))).toEqual([
      { id: customer.key.id, name: "key", hint: "abcd", deleted: false },
      { id, name: "Playground", hint: "wxyz", deleted: true },
    ]);
    expect(await accounts.labelKeys([])).toEqual([]);
  });

  test("need an account", async () => {
    const renewing = database().store.accounts.renewPlaygroundKey(renewal("acct_nobody", "user_ann"));
    expect(await rejectionOf(renewing)).toBeInstanceOf(StoreConflict);
  });
}

function budgetTests(database: () => TestDatabase): void {
  test("show what their window has used, with what running requests hold, and only of keys that have one", async () => {
    const customer = await newCustomer(database(), 1000, { budget: { amount_micro: micro(300), window: "day" } });
    const { accounts } = database().store;
    await accounts.createKey(newKey(customer.account.id));
    await customer.settle(await customer.hold(), { charge_micro: micro(40) });
    const running = await customer.hold();
    await spendOn(customer, TODAY - 40, [{ model: "acme/mini", cost: 500 }]);

    const use = {
      key_id: customer.key.id,
      renews: { at: expect.stringMatching(/T00:00:00Z$/), time_zone: "UTC" },
      amount_micro: micro(300),
      raise: null,
      spent_micro: micro(40),
      held_micro: micro(100),
    };
    expect(await accounts.budgetUses(customer.account.id)).toEqual([{ ...use, window: "day", since: dayNamed(TODAY) }]);
    await customer.changeKey({ budget: { amount_micro: micro(300), window: "month" } });
    const since = `${dayNamed(TODAY).slice(0, 7)}-01`;
    expect(await accounts.budgetUses(customer.account.id)).toEqual([{ ...use, window: "month", since }]);
    await database().execute(`DELETE FROM usage_days WHERE account_id = '${customer.account.id}' AND day < ${TODAY}`);
    await customer.void(running);
  });
}
