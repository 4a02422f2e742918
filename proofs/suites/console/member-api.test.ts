import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { AuditPage } from "../../../contract/audit.ts";
import { AUTO_TOP_UP_NOTE, AutoTopUp } from "../../../contract/auto-top-up.ts";
import { EntryList } from "../../../contract/credits.ts";
import { Live, Overview } from "../../../contract/overview.ts";
import { PlaygroundKey } from "../../../contract/playground.ts";
import { ReceiptDetail, ReceiptList } from "../../../contract/requests.ts";
import { Resolution } from "../../../contract/resolve.ts";
import { UsageExploration } from "../../../contract/usage.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller, GENERATION_NAMES } from "../../support/calls.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { PRICE } from "../../support/simulated-gateway.ts";
import { eventually } from "../failures/support/scene.ts";

/** Members' views of real requests, over HTTP: every charge is accounted for, and running requests are visible. */

let simulator: Simulator;
let gateway: Gateway;

beforeAll(async () => {
  simulator = await startSimulator();
  const { base_url } = simulator;
  const config = {
    catalog: "none",
    vendors: {
      acme: { protocol: ["chat-completions", "responses", "messages"], base_url },
      judging: { protocol: "decisions", base_url },
    },
    models: {
      "acme/echo": { price: PRICE },
      "acme/standing": {
        price: PRICE,
        upstream_model: "long@tokens=50&fault=stall-mid&after=5",
        capabilities: { thinking: false },
      },
      "judging/decider": { kind: "decision", price: { input: 1 } },
    },
  };
  // JSON is YAML.
  gateway = await startGateway({ config: JSON.stringify(config) });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

/** An answer of the console API that agrees with the contract. */
async function see<Schema extends TSchema>(schema: Schema, path: string, method = "GET", body?: unknown) {
  const found: unknown = await gateway.admin(method, path, body);
  if (!Check(schema, found)) throw new Error(`not as the contract says: ${JSON.stringify(found)}`);
  return found;
}

const live = ({ account }: TestKey) => see(Live, `/overview/live?account=${account}`);

/** Resolves when no request of the account runs any more: charges are booked just after an answer was sent. */
function calm(key: TestKey) {
  return eventually("the end of all requests", async () => {
    const found = await live(key);
    return found.running_count === 0 ? found : null;
  });
}

const QUESTION = { type: "predicate", name: "spam", instructions: "Is it spam?" };

describe("an account that is used in every style", () => {
  test("sees each request with a receipt that adds up to its charge, and its sums include all requests", async () => {
    const key = await gateway.newKey({ credit: "5" });
    const caller = new Caller(gateway, key.key);
    for (const style of GENERATION_NAMES) expect((await caller.generate(style, "acme/echo")).status).toBe(200);
    const decided = await caller.post("/v1/decisions", {
      model: "judging/decider",
      input: "Buy!",
      questions: [QUESTION],
    });
    expect(decided.status).toBe(200);
    const { balance_micro } = await calm(key);

    const { data } = await see(ReceiptList, `/requests?account=${key.account}`);
    expect(data.map(({ endpoint }) => endpoint)).toEqual(["decisions", "messages", "responses", "chat.completions"]);
    let charged = 0;
    for (const { id, charge_micro } of data) {
      const receipt = await see(ReceiptDetail, `/requests/${id}`);
      expect(receipt).toMatchObject({
        status: "settled",
        operator_loss_micro: 0,
        key: { id: key.id },
        cost_micro: charge_micro,
      });
      expect(receipt.lines.reduce((sum, { amount_micro }) => sum + amount_micro, 0)).toBe(charge_micro);
      expect(receipt.entry).toMatchObject({ amount_micro: -charge_micro, request: id });
      expect(receipt.attempts).toMatchObject([{ status: 200, error: null }]);
      charged += charge_micro;
    }
    expect(charged).toBeGreaterThan(0);
    expect(balance_micro).toBe(5_000_000 - charged);

    const explored = await see(UsageExploration, `/usage/explore?account=${key.account}&by=day,model`);
    expect(explored.total).toMatchObject({ cost_micro: charged, request_count: 4, success_count: 4 });
    expect(explored.groups.map(({ id }) => id).toSorted()).toEqual(["acme/echo", "judging/decider"]);
    const overview = await see(Overview, `/overview?account=${key.account}`);
    expect(overview.spend.day.current).toEqual(explored.total);
    expect(overview.latest.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
  });

  test("downloads its usage as CSV", async () => {
    const key = await gateway.newKey({ credit: "5", name: "=1+1" });
    await new Caller(gateway, key.key).generate("chat", "acme/echo");
    await calm(key);
    const token = (await Bun.file(join(gateway.data, "admin-token")).text()).trim();
    const url = `${gateway.url}/console/api/usage/explore?account=${key.account}&by=key&format=csv`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toStartWith("attachment");
    const [head, row, ...rest] = (await response.text()).split("\r\n");
    expect(head).toStartWith("key,key_name,requests,");
    expect(row).toStartWith(`${key.id},'=1+1,1,1,`);
    expect(rest).toEqual([""]);
  });
});

test("a stream is seen while it runs, with its hold, and its charge when it has ended", async () => {
  const key = await gateway.newKey({ credit: "5" });
  const before = await live(key);
  const leaving = new AbortController();
  const stream = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: "acme/standing", stream: true, messages: [{ role: "user", content: "Go on" }] }),
    signal: leaving.signal,
  });
  expect(stream.status).toBe(200);
  const running = await live(key);
  expect(running).toMatchObject({ running_count: 1, running: [{ model: "acme/standing", stream: true }] });
  expect(running.version).not.toBe(before.version);
  expect(running.uncollected_micro).toBe(running.running[0]?.hold_micro ?? 0);
  expect(running.balance_micro + running.uncollected_micro).toBe(5_000_000);
  const listed = await see(ReceiptList, `/requests?account=${key.account}&status=held`);
  expect(listed.data.map(({ id }) => id)).toEqual(running.running.map(({ id }) => id));
  leaving.abort();
  const after = await calm(key);
  expect(after).toMatchObject({ uncollected_micro: 0, latest_request: running.latest_request });
  const receipt = await see(ReceiptDetail, `/requests/${running.latest_request}`);
  expect(receipt).toMatchObject({ status: "settled", ended_at: expect.any(String) });
  expect(after.balance_micro).toBe(5_000_000 - receipt.charge_micro);
});

test("the playground's key calls every endpoint, until it is renewed", async () => {
  const { account } = await gateway.newKey({ credit: "5" });
  const renew = () => see(PlaygroundKey, "/playground/key", "POST", { account });
  const first = await renew();
  const caller = new Caller(gateway, first.key);
  for (const style of GENERATION_NAMES) expect((await caller.generate(style, "acme/echo")).status).toBe(200);
  const second = await renew();
  expect(second.id).toBe(first.id);
  expect((await caller.generate("chat", "acme/echo")).status).toBe(401);
  expect((await new Caller(gateway, second.key).generate("chat", "acme/echo")).status).toBe(200);
});

test("a name resolves in the console to the model that a request with it reaches", async () => {
  const aliases = [{ name: "quick", model: "acme/echo" }];
  const prefix_aliases = [{ prefix: "gpt-", model: "acme/echo" }];
  const key = await gateway.newKey({ credit: "5", aliases, prefix_aliases, models: ["acme/echo"] });
  const caller = new Caller(gateway, key.key);
  for (const name of ["acme/echo", "quick", "gpt-4o", "acme/standing", "nothing"]) {
    const resolution = await see(Resolution, `/resolve?key=${key.id}&name=${encodeURIComponent(name)}`);
    const { status, json } = await caller.generate("chat", name);
    expect([name, status]).toEqual([name, resolution.found ? 200 : 404]);
    if (resolution.found) expect(json.model).toBe(resolution.model?.id);
  }
});

test("an account with a rule is topped up before it is refused, within the month's limit", async () => {
  const key = await gateway.newKey({ credit: "0" });
  const caller = new Caller(gateway, key.key);
  expect((await caller.generate("chat", "acme/echo")).status).toBe(402);
  const path = `/credits/auto-top-up?account=${key.account}`;
  const rule = { threshold: "0.5", amount: "1", month_limit: "1.5" };
  expect(await see(AutoTopUp, path, "PUT", rule)).toMatchObject({ rule: { month_used_micro: 0 } });
  expect((await caller.generate("chat", "acme/echo")).status).toBe(200);
  await calm(key);
  expect(await see(AutoTopUp, path)).toMatchObject({ rule: { month_used_micro: 1_000_000, amount_micro: 1_000_000 } });
  const { data } = await see(EntryList, `/accounts/${key.account}/credits?kind=credit`);
  expect(data).toMatchObject([{ note: AUTO_TOP_UP_NOTE, actor: "gateway", amount_micro: 1_000_000 }]);
  expect(await see(AutoTopUp, path, "DELETE")).toMatchObject({ rule: null });
});

test("top-up rules and playground keys are in the audit log, before and after, without secrets", async () => {
  const { account } = await gateway.newKey({ credit: "1" });
  const path = `/credits/auto-top-up?account=${account}`;
  await see(AutoTopUp, path, "PUT", { threshold: "0", amount: "1", month_limit: "2" });
  await see(AutoTopUp, path, "PUT", { threshold: "0", amount: "2", month_limit: "2" });
  await see(AutoTopUp, path, "DELETE");
  const { key, id } = await see(PlaygroundKey, "/playground/key", "POST", { account });
  const { data } = await see(AuditPage, `/audit-log?account=${account}&limit=4`);
  const rule = (amount_micro: number) => ({ threshold_micro: 0, amount_micro, month_limit_micro: 2_000_000 });
  expect(data).toMatchObject([
    { action: "playground_key.renew", object: { kind: "key", id }, before: null },
    { action: "auto_top_up.remove", before: rule(2_000_000), after: null },
    { action: "auto_top_up.set", before: rule(1_000_000), after: rule(2_000_000) },
    { action: "auto_top_up.set", before: null, after: rule(1_000_000) },
  ]);
  expect(JSON.stringify(data)).not.toContain(key);
});
