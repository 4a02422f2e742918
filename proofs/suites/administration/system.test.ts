import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SystemHealth } from "../../../contract/health.ts";
import { LimitedAccountList, LimitedKeyList, Limits } from "../../../contract/limits.ts";
import { PriceList } from "../../../contract/prices.ts";
import { Vendor } from "../../../contract/vendors.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { ConsoleCaller } from "./support/console.ts";

/** Two gateways on one PostgreSQL, as administrators see them: credentials, prices, limits, health. */

const RIGHT = "sk-right-canary-0123456789";
const SHARED = { CAMINO_SECRET: "a secret that both have, of no value" };
const OWN_PRICE = { input: 2, output: "8.5" };

let vendor: Simulator;
let gateways: [Gateway, Gateway];
let admins: [ConsoleCaller, ConsoleCaller];
let key: TestKey;

beforeAll(async () => {
  vendor = await startSimulator({ api_key: RIGHT });
  const options = {
    config: JSON.stringify({
      vendors: { acme: { protocol: "chat-completions", base_url: vendor.base_url } },
      models: {
        "acme/echo": { price: [OWN_PRICE, { from: "2999-01-01", input: 3, output: 9 }] },
        "acme/stalls": {
          upstream_model: "long@tokens=50&fault=stall-mid&after=4",
          price: OWN_PRICE,
          capabilities: { thinking: false },
        },
        "deepseek/deepseek-v4-flash": { price: { input: 1, output: 2 } },
        "acme/resold": {
          price: { input: 1, output: 2 },
          routes: [{ vendor: "deepseek", upstream_model: "deepseek-v4-flash" }],
        },
      },
      limits: { body: "1MiB", default_key: { rpm: 7777, concurrent: 7 } },
    }),
    env: { ...SHARED, DEEPSEEK_API_KEY: "sk-deepseek-canary-000000" },
    database: await freshDatabase(),
  };
  gateways = await Promise.all([startGateway(options), startGateway(options)]);
  admins = await Promise.all([ConsoleCaller.of(gateways[0]), ConsoleCaller.of(gateways[1])]);
  key = await gateways[0].newKey();
}, 60_000);

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
  await vendor.stop();
});

/** Asks until the answer is as wanted, for at most ten seconds. */
async function eventually<Found>(ask: () => Promise<Found>, wanted: (found: Found) => boolean): Promise<Found> {
  const end_ms = performance.now() + 45_000;
  for (;;) {
    const found = await ask();
    if (wanted(found) || performance.now() > end_ms) return found;
    await Bun.sleep(50);
  }
}

test("a credential that is set or deleted at one gateway is soon in force, or gone, at the other", async () => {
  const [first, second] = gateways;
  const statusAt = (gateway: Gateway) => async () =>
    (await new Caller(gateway, key.key).generate("chat", "acme/echo")).status;
  expect(await statusAt(second)()).toBe(502);
  await admins[0].read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
  expect(await statusAt(first)()).toBe(200);
  expect(await eventually(statusAt(second), (status) => status === 200)).toBe(200);
  const shown = (await admins[1].read(Vendor, "GET /vendors/acme")).credential;
  expect(shown).toMatchObject({ source: "console", hint: "6789", stored: { set_by: "admin-token", problem: null } });

  await admins[1].read(Vendor, "DELETE /vendors/acme/credential");
  expect(await eventually(statusAt(first), (status) => status !== 200)).toBe(502);
  await admins[0].read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
});

describe("the health of the system", () => {
  test("has this process, its database and the other gateway on that database", async () => {
    const [mine, other] = await Promise.all(admins.map((admin) => admin.read(SystemHealth, "GET /health")));
    expect(mine).toMatchObject({ status: "ok", draining: false, in_flight: 0, active_streams: 0, currency: "USD" });
    expect(mine?.database).toMatchObject({ kind: "postgres", error: null });
    expect(mine?.database.description).toStartWith("postgres 127.0.0.1");
    expect(mine?.database.ping_ms).toBeGreaterThan(0);
    expect(mine?.process.pid).toBe(gateways[0].pid);
    expect(mine?.process.rss_bytes).toBeGreaterThan(10_000_000);
    expect(mine?.nodes?.filter(({ alive }) => alive).map(({ id }) => id)).toContainValues([mine?.node, other?.node]);
    expect(mine?.nodes?.filter((node) => node.this).map(({ id }) => id)).toEqual([mine?.node ?? ""]);
  });

  test("has open holds and running streams while they run, and not after they have ended", async () => {
    const read = () => admins[0].read(SystemHealth, "GET /health");
    const leaving = new AbortController();
    const stream = await fetch(`${gateways[0].url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "acme/stalls", stream: true, messages: [{ role: "user", content: "Hello!" }] }),
      signal: leaving.signal,
    });
    await stream.body?.getReader().read();
    const during = await read();
    expect(during).toMatchObject({ in_flight: 1, active_streams: 1, ledger: { open_holds: { count: 1 } } });
    expect(during.ledger.open_holds?.sum_micro).toBeGreaterThan(0);
    expect(during.ledger.uncollected_micro).toBe(during.ledger.open_holds?.sum_micro ?? null);
    expect(Math.abs(Date.parse(during.ledger.oldest_hold_at ?? "") - Date.now())).toBeLessThan(60_000);
    leaving.abort();
    const after = await eventually(read, ({ ledger }) => ledger.open_holds?.count === 0);
    expect(after).toMatchObject({ in_flight: 0, active_streams: 0 });
    expect(after.ledger).toMatchObject({ open_holds: { count: 0, sum_micro: 0 }, uncollected_micro: 0 });
    expect(after.ledger.oldest_hold_at).toBeNull();
  });
});

describe("prices", () => {
  const priced = async (model: string) => {
    const { data, currency, bundled_currency } = await admins[0].read(PriceList, "GET /prices");
    expect([currency, bundled_currency]).toEqual(["USD", "USD"]);
    return data.find((each) => each.model === model);
  };

  test("of a model of the file are exact, with later prices, and without a cost where none is known", async () => {
    const own = await priced("acme/echo");
    expect(own).toMatchObject({
      source: "own",
      bundled: null,
      routes: [{ vendor: "acme", cost: null, margins: null }],
    });
    expect(own?.effective).toMatchObject({ from: null, output: { micro_per_mtok: 8_500_000, decimal: "8.50" } });
    expect(own?.upcoming).toMatchObject([{ from: "2999-01-01T00:00:00.000Z", input: { decimal: "3.00" } }]);
  });

  test("of a bundled model that the file prices anew have the margin over the vendor's price, per class", async () => {
    const model = await priced("deepseek/deepseek-v4-flash");
    expect(model?.source).toBe("overridden");
    expect(model?.effective.input.decimal).toBe("1.00");
    const cost = model?.bundled?.input.micro_per_mtok ?? 0;
    expect(cost).toBeGreaterThan(0);
    const [route] = model?.routes ?? [];
    expect(route?.cost?.input.micro_per_mtok).toBe(cost);
    const margin = 1_000_000 - cost;
    const percent = Math.round(margin / 100) / 100;
    expect(route?.margins?.[0]).toMatchObject({ above_input_tokens: 0, input: { micro_per_mtok: margin, percent } });
  });

  test("of an unchanged bundled model equal the costs", async () => {
    const model = await priced("deepseek/deepseek-v4-pro");
    expect(model).toMatchObject({ source: "bundled" });
    expect(model?.routes[0]?.margins?.[0]).toMatchObject({ input: { micro_per_mtok: 0, decimal: "0.00", percent: 0 } });
  });

  test("of a model under another name have the cost of the vendor's own name", async () => {
    const [model, original] = [await priced("acme/resold"), await priced("deepseek/deepseek-v4-flash")];
    expect(model?.routes[0]?.cost).toEqual(original?.routes[0]?.cost ?? null);
  });
});

test("limits are the configuration's, and those of keys and accounts that have their own", async () => {
  const limited = await gateways[0].newKey({ rpm: 5, budget: { amount: "1.5", window: "day" }, name: "tight" });
  const limits = await admins[0].read(Limits, "GET /limits");
  expect(limits).toMatchObject({
    default_key: { rpm: 7777, concurrent: 7, tpm: null },
    body_bytes: 1_048_576,
    body_stall_ms: 30_000,
    body_total_ms: 120_000,
    key_count: 2,
    limited_key_count: 1,
    limited_account_count: 0,
  });
  const { data: keys } = await admins[0].read(LimitedKeyList, "GET /limits/keys");
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({
    key: limited.id,
    key_name: "tight",
    account: limited.account,
    rpm: 5,
    concurrent: null,
    budget: { amount_micro: 1_500_000, window: "day" },
  });
  expect(keys[0]?.account_email).toContain("@example.com");
  expect((await admins[0].read(LimitedAccountList, "GET /limits/accounts")).data).toEqual([]);
  const limit = { rpm: 60, tpm: null, budget: { amount: "20", window: "month" } };
  await gateways[0].admin("PATCH", `/accounts/${limited.account}`, limit);
  const { account_count, limited_account_count } = await admins[0].read(Limits, "GET /limits");
  expect(limited_account_count).toBe(1);
  expect(account_count).toBeGreaterThanOrEqual(1);
  const { data: accounts } = await admins[0].read(LimitedAccountList, "GET /limits/accounts");
  expect(accounts).toEqual([
    {
      account: limited.account,
      email: expect.stringContaining("@example.com"),
      name: expect.any(String),
      status: "active",
      limits: {
        ...{ models: null, rpm: 60, tpm: null, concurrent: null },
        budget: { amount_micro: 20_000_000, window: "month" },
      },
    },
  ]);
  await gateways[0].admin("PATCH", `/accounts/${limited.account}`, { rpm: null, budget: null });
  expect((await admins[0].read(LimitedAccountList, "GET /limits/accounts")).data).toEqual([]);
  await gateways[0].admin("POST", `/keys/${limited.id}/revoke`);
  expect((await admins[0].read(LimitedKeyList, "GET /limits/keys")).data).toEqual([]);
  expect(await admins[0].read(Limits, "GET /limits")).toMatchObject({ limited_key_count: 0, limited_account_count: 0 });
});
