import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { RequestOutcome } from "../../core/ledger/ledger.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import type { CircuitChange } from "../../core/operations/circuits.ts";
import type { RefusalSum } from "../../core/operations/refusals.ts";
import { type Customer, newCustomer, OUTCOME, settleOp, type TestDatabase } from "./books.ts";
import { marginTests } from "./margin.suite.ts";
import { AROUND, ATTEMPT, answeredBy, ask, count, failed, HOUR, MS_PER_HOUR, SETTLED, TODAY } from "./traffic-scene.ts";

/** The whole gateway's traffic, counted from finished requests (docs/design/reports.md). */
export function trafficSuite(database: () => TestDatabase): void {
  describe("traffic", () => {
    countTests(database);
    lateTests(database);
    groupTests(database);
    marginTests(database);
    refusalTests(database);
    outcomeTests(database);
    vendorTests(database);
  });
}

function countTests(database: () => TestDatabase): void {
  test("is counted once for each request that has ended, by how it ended, and agrees with the days' usage", async () => {
    const customer = await newCustomer(database(), 10_000);
    await customer.settle(await customer.hold(), { ...SETTLED, outcome: answeredBy("acme") });
    await failed(customer);
    await customer.void(await customer.hold());
    const running = await customer.hold();
    await count(database());
    await count(database());
    const first = await ask(customer, { group: "status" });
    expect(first.total).toMatchObject({ requests: 3, answered: 1, failed: 1, left: 1, refused: 0 });
    expect(first.is_behind).toBe(false);
    expect(first.counted_ms).toBeGreaterThan(Date.now() - 60_000);

    await customer.settle(running, SETTLED);
    await count(database());
    await count(database());
    for (const by_day of [false, true]) {
      const { total } = await ask(customer, { by_day, periods: TODAY });
      expect(total).toMatchObject({ requests: 4, answered: 2, failed: 1, left: 1 });
      expect(total).toMatchObject({ charge_micro: micro(80), prompt_tokens: 20, cached_tokens: 12 });
      expect([total.first_ms, total.total_ms]).toEqual([40, 60]);
      const usage = (await database().store.accounts.usageWindows(customer.account.id)).daily;
      expect([total.charge_micro, total.prompt_tokens, total.completion_tokens, total.requests]).toEqual([
        ...[usage.cost_micro, usage.prompt_tokens, usage.completion_tokens, usage.request_count],
      ]);
    }
  });

  test("of which two nodes read the same slice is written once", async () => {
    const customer = await newCustomer(database(), 10_000);
    await count(database());
    await customer.settle(await customer.hold());
    const { upkeep } = database().store;
    const asked = { limit: 100, prices_json: "{}" };
    const slices = await Promise.all([upkeep.readTrafficSlice(asked), upkeep.readTrafficSlice(asked)]);
    const written = [];
    for (const slice of slices) written.push(await upkeep.writeTrafficSlice(slice));
    expect(written).toEqual([true, false]);
    expect((await ask(customer)).total.requests).toBe(1);
  });

  test("is the same when it is counted anew", async () => {
    const customer = await newCustomer(database(), 10_000);
    await customer.settle(await customer.hold(), { outcome: answeredBy("acme") });
    await failed(customer);
    await count(database());
    const before = await ask(customer, { group: "route" });
    await database().store.upkeep.recountTraffic();
    expect(await ask(customer)).toMatchObject({ total: { requests: 0 }, counted_ms: null, is_behind: true });
    await count(database());
    const { counted_ms, ...after } = await ask(customer, { group: "route" });
    expect({ ...after, counted_ms: before.counted_ms }).toEqual(before);
    expect(counted_ms).not.toBeNull();
  });

  test("of hours goes when it is old, and days stay", async () => {
    const customer = await newCustomer(database(), 10_000);
    await customer.settle(await customer.hold());
    await count(database());
    const { upkeep } = database().store;
    expect(await upkeep.dropTraffic((HOUR - 24) * MS_PER_HOUR)).toBe(0);
    while ((await upkeep.dropTraffic((HOUR + 25) * MS_PER_HOUR)) > 0);
    expect((await ask(customer)).total.requests).toBe(0);
    expect((await ask(customer, { by_day: true, periods: TODAY })).total.requests).toBe(1);
    await upkeep.recountTraffic();
  });
}

function lateTests(database: () => TestDatabase): void {
  for (const counted of ["before", "after"] as const) {
    test(`of a request that a recovery ended is corrected by its own late end, counted ${counted} it came`, async () => {
      const customer = await newCustomer(database(), 10_000);
      const request_id = await customer.hold();
      await customer.progress(request_id, 15, { input_tokens: 10, output_tokens: 5 });
      await database().execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
      await database().store.ledger.sweep(database().node_id);
      if (counted === "before") {
        await count(database());
        expect((await ask(customer)).total).toMatchObject({ failed: 1, charge_micro: micro(15) });
      }
      const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 25 };
      await customer.settle(request_id, { usage, charge_micro: micro(40), outcome: answeredBy("acme") });
      await count(database());
      await count(database());
      const { total, groups } = await ask(customer, { group: "vendor" });
      expect(total).toMatchObject({ requests: 1, answered: 1, failed: 0, charge_micro: micro(40) });
      expect(total).toMatchObject({ prompt_tokens: 10, completion_tokens: 25 });
      expect(groups.filter(({ requests }) => requests > 0).map(({ id }) => id)).toEqual(["acme"]);
      const receipt = await database().store.accounts.findRequest(customer.account.id, request_id);
      expect(receipt?.attempts).toEqual(answeredBy("acme").attempts);
    });
  }
}

function groupTests(database: () => TestDatabase): void {
  test("is grouped, dearest first, with the rest as others, and compared with the time before", async () => {
    const customer = await newCustomer(database(), 10_000);
    for (const [vendor, charge] of [
      ["acme", 40],
      ["other", 30],
      ["third", 20],
      ["acme", 10],
    ] as const) {
      const fields = settleOp("", { charge_micro: micro(charge), outcome: answeredBy(vendor) });
      await customer.settle(await customer.hold(), {
        price: fields.price,
        usage: fields.usage,
        charge_micro: micro(charge),
        outcome: fields.outcome,
      });
    }
    await failed(customer);
    await count(database());
    const spans = [AROUND[0], [HOUR + 25, HOUR + 49]] as const;
    const report = await ask(customer, { group: "vendor", top: 2, periods: spans, before: [HOUR - 48, HOUR - 24] });
    expect(
      report.groups.map(({ id, requests, failed: errors, charge_micro }) => [id, requests, errors, charge_micro]),
    ).toEqual([
      ["acme", 2, 0, micro(50)],
      ["other", 2, 1, micro(30)],
      [null, 1, 0, micro(20)],
    ]);
    expect(report.group_count).toBe(3);
    expect(report.cells.map(({ period, group, charge_micro }) => [period, group, charge_micro])).toEqual([
      [0, "acme", micro(50)],
      [0, "other", micro(30)],
      [0, null, micro(20)],
    ]);
    expect(report.periods.map(({ requests }) => requests)).toEqual([5, 0]);
    expect(report.before).toMatchObject({ requests: 0 });
    expect(report.groups[0]?.before).toMatchObject({ requests: 0 });

    const routes = await ask(customer, { group: "route", vendor: "other", status: "failed" });
    expect(routes.groups.map(({ id, requests }) => [id, requests])).toEqual([["other swift-1", 1]]);
    const errors = await ask(customer, { group: "error" });
    expect(errors.groups.map(({ id, requests }) => [id, requests])).toEqual([
      ["answered", 4],
      ["provider_error", 1],
    ]);
    const { account, key } = customer;
    const everyone = { account_id: null, key_id: key.id } as const;
    expect((await ask(customer, { ...everyone, group: "account" })).groups).toMatchObject([
      { id: account.id, name: account.email, requests: 5 },
    ]);
    expect((await ask(customer, { ...everyone, group: "key" })).groups).toMatchObject([{ id: key.id, name: key.name }]);
    expect((await ask(customer, { account_id: null })).total.requests).toBeGreaterThanOrEqual(5);
  });
}

const MINUTE = Math.floor(Date.now() / 60_000);

function refusalTests(database: () => TestDatabase): void {
  const refusal = ({ account, key }: Customer, fields: Partial<RefusalSum> = {}): RefusalSum => ({
    ...{ minute: MINUTE, account_id: account.id, key_id: key.id, endpoint: "messages", code: "insufficient_balance" },
    ...{ status: 402, count: 2, model: "acme/swift", param: null, client_request_id: null, last_ms: MINUTE * 60_000 },
    request_id: newId("req"),
    ...fields,
  });

  test("of refusals is summed up by minute, found by key, code, time and id, and part of the gateway's figures", async () => {
    const customer = await newCustomer(database(), 10_000);
    const { upkeep, accounts } = database().store;
    const account_id = customer.account.id;
    const first = refusal(customer);
    const second = refusal(customer, { client_request_id: `job-${account_id}`, last_ms: first.last_ms + 5, count: 3 });
    await upkeep.writeRefusals([first, second]);
    const bad = refusal(customer, { minute: MINUTE - 1, code: "invalid_json", status: 400, count: 1, model: "" });
    await upkeep.writeRefusals([bad, refusal(customer, { request_id: second.request_id, count: 1 })]);
    const list = async (query: object) =>
      (await accounts.listRefusals({ account_id, limit: 10, ...query })).sums.map(({ code, count }) => [code, count]);
    expect(await list({})).toEqual([
      ["insufficient_balance", 6],
      ["invalid_json", 1],
    ]);
    expect(await list({ code: "invalid_json" })).toEqual([["invalid_json", 1]]);
    expect(await list({ from_ms: MINUTE * 60_000 })).toEqual([["insufficient_balance", 6]]);
    expect(await list({ to_ms: MINUTE * 60_000 })).toEqual([["invalid_json", 1]]);
    expect(await list({ search: bad.request_id.slice(0, 20), account_id: null })).toEqual([["invalid_json", 1]]);
    expect(await list({ key_id: "key_none" })).toEqual([]);
    const page = await accounts.listRefusals({ account_id, limit: 1 });
    expect(page).toMatchObject({ sums: [{ code: "insufficient_balance" }], next_to_ms: MINUTE * 60_000 });
    expect(await list({ to_ms: page.next_to_ms })).toEqual([["invalid_json", 1]]);

    await customer.settle(await customer.hold());
    await count(database());
    const figures = async () =>
      (await ask(customer, { group: "error" })).groups.map(({ id, refused }) => [id, refused]);
    const expected = [
      ["answered", 0],
      ["!insufficient_balance", 6],
      ["!invalid_json", 1],
    ];
    expect(await figures()).toEqual(expected);
    await upkeep.recountTraffic();
    await count(database());
    expect(await figures()).toEqual(expected);
    const everyone = await ask(customer, {
      account_id: null,
      key_id: customer.key.id,
      by_day: true,
      periods: TODAY,
      group: "account",
    });
    expect(everyone.total).toMatchObject({ requests: 8, refused: 7, failed: 0 });
  });

  test("of refusals goes when it is old", async () => {
    const customer = await newCustomer(database(), 10_000);
    const { upkeep, accounts } = database().store;
    await upkeep.writeRefusals([refusal(customer, { minute: 10 }), refusal(customer)]);
    while ((await upkeep.dropRefusals(MINUTE * 60_000 - 86_400_000)) > 0);
    const { sums } = await accounts.listRefusals({ account_id: customer.account.id, limit: 10 });
    expect(sums.map(({ minute }) => minute)).toEqual([MINUTE]);
  });
}

function outcomeTests(database: () => TestDatabase): void {
  test("has the requests of a client that left as left, and finds requests by how they stand", async () => {
    const customer = await newCustomer(database(), 10_000);
    const { accounts } = database().store;
    const account_id = customer.account.id;
    const left = await customer.hold();
    await customer.settle(left, { outcome: { ...answeredBy("acme"), error: "client_left" } });
    const gone = await customer.hold();
    await customer.void(gone);
    const broken = await customer.hold();
    await customer.void(broken, { outcome: { ...OUTCOME, error: "provider_error" } });
    const answered = await customer.hold();
    await customer.settle(answered);
    const running = await customer.hold();
    const found = async (outcome: RequestOutcome) =>
      (await accounts.listRequests({ account_id, limit: 10, outcome })).requests.map(({ id }) => id);
    expect(await found("left")).toEqual([gone, left]);
    expect(await found("failed")).toEqual([broken]);
    expect(await found("answered")).toEqual([answered]);
    expect(await found("running")).toEqual([running]);
    const everyone = await accounts.listRequests({
      account_id: null,
      limit: 10,
      outcome: "failed",
      key_id: customer.key.id,
    });
    expect(everyone.requests.map(({ id }) => id)).toEqual([broken]);
    expect(await accounts.findRequest(account_id, left)).toMatchObject({
      outcome: "left",
      error: null,
      status: "settled",
    });
    expect(await accounts.findRequest(account_id, broken)).toMatchObject({
      outcome: "failed",
      error: "provider_error",
    });
    await count(database());
    expect((await ask(customer)).total).toMatchObject({ requests: 4, left: 2, failed: 1, answered: 1 });
    await customer.settle(running);
  });
}

function vendorTests(database: () => TestDatabase): void {
  const HERE = Math.floor(Date.now() / 300_000);
  const span = { from_slot: HERE - 12, to_slot: HERE + 12, step_slots: 24 };

  test("has the calls of each vendor in slots of five minutes, every attempt of a request, and late ends", async () => {
    const customer = await newCustomer(database(), 10_000);
    const vendor = `vendor-of-${customer.account.id.toLowerCase()}`;
    const other = `${vendor}-2`;
    const failing = { ...ATTEMPT, vendor, status: 503, error: "provider_error", first_byte_ms: null } as const;
    const good = { ...ATTEMPT, vendor: other };
    await customer.settle(await customer.hold(), { outcome: { ...OUTCOME, attempts: [failing, failing, good] } });
    await customer.settle(await customer.hold(), {
      outcome: { ...OUTCOME, attempts: [{ ...good, calls: 5, failures: 2, error: "provider_error" }] },
    });
    const gone = { ...failing, status: null };
    await customer.settle(await customer.hold(), { outcome: { ...OUTCOME, error: "client_left", attempts: [gone] } });
    await count(database());
    const { routes, steps, counted_ms } = await database().store.accounts.vendorHistory(span);
    const mine = <Row extends { vendor: string }>(rows: readonly Row[]) =>
      rows.filter((each) => each.vendor.startsWith(vendor));
    expect(mine(routes).map((each) => [each.vendor, each.upstream_model, each.error, each.calls])).toEqual([
      [vendor, "swift-1", "", 1],
      [vendor, "swift-1", "provider_error", 2],
      [other, "swift-1", "", 4],
      [other, "swift-1", "provider_error", 2],
    ]);
    expect(mine(routes)[2]).toMatchObject({ first_ms: 200, first_count: 2, total_ms: 800 });
    expect(mine(steps).map(({ step, calls }) => [step, calls])).toEqual([
      [0, 1],
      [0, 2],
      [0, 4],
      [0, 2],
    ]);
    expect(counted_ms).toBeGreaterThan(Date.now() - 60_000);
    await database().store.upkeep.recountTraffic();
    await count(database());
    expect(mine((await database().store.accounts.vendorHistory(span)).routes)).toEqual(mine(routes));
    while ((await database().store.upkeep.dropVendorSlots(Date.now() + 3_600_000)) > 0);
    expect((await database().store.accounts.vendorHistory(span)).routes).toEqual([]);
  });

  test("of circuits is kept by all nodes, once each, until it is old", async () => {
    const { upkeep, accounts } = database().store;
    const vendor = newId("acct");
    const opened: CircuitChange = {
      ...{ no: 7, vendor, upstream_model: "swift", account_id: null, attempts: 20, failures: 11, age_ms: 60_000 },
      state: "opened",
      reason: "failures",
    };
    const closed: CircuitChange = {
      ...{ ...opened, no: 8, account_id: "acct_1", attempts: 0, failures: 0, age_ms: 1000 },
      state: "closed",
      reason: "answered",
    };
    await upkeep.writeCircuitChanges("node_a", [opened, closed]);
    await upkeep.writeCircuitChanges("node_a", [{ ...opened, age_ms: 90_000 }]);
    await upkeep.writeCircuitChanges("node_b", [{ ...opened, age_ms: 30_000 }]);
    await upkeep.writeCircuitChanges("node_b", []);
    const asked = { since_ms: Date.now() - 600_000, vendor, limit: 9 };
    const found = await accounts.listCircuitChanges(asked);
    expect(found.map(({ node_id, no, state, account_id }) => [node_id, no, state, account_id])).toEqual([
      ["node_a", 8, "closed", "acct_1"],
      ["node_b", 7, "opened", null],
      ["node_a", 7, "opened", null],
    ]);
    expect(found[2]).toMatchObject({ reason: "failures", attempts: 20, failures: 11 });
    expect((found[0]?.at_ms ?? 0) - (found[2]?.at_ms ?? 0)).toBeGreaterThan(50_000);
    expect(await accounts.listCircuitChanges({ ...asked, limit: 1 })).toEqual(found.slice(0, 1));
    while ((await upkeep.dropCircuitChanges(Date.now() - 45_000)) > 0);
    expect((await accounts.listCircuitChanges(asked)).map(({ node_id }) => node_id)).toEqual(["node_a", "node_b"]);
  });
}
