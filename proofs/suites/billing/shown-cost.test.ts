import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { isObject } from "../../../src/core/json.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { ANSWER_COSTS, type PricedVendor, startPricedVendor, USAGE_COSTS } from "../../support/priced-vendor.ts";
import { endedReceipt, type Receipt } from "../../support/receipts.ts";
import { PROTOCOLS, type VendorProtocol } from "../clients/five-vendors.ts";
import { eventsOf, type Json, STYLES, type Style } from "../failures/support/styles.ts";

/** docs/rulings.md 169: every billed answer shows what was charged for it, and never what its vendor says of its own costs. */

const VENDOR_KEY = "sk-vendor-0123456789";
const PRICE = { input: "1.00", output: "4.00", cache_read: "0.10", cache_write: "1.25" };
const MODELS = {
  plain: "echo",
  estimated: "echo@usage=none",
  long: "long@tokens=20000&piece=100&ms=1",
  cached: "echo@usage=cached",
};
const SEEN = { capabilities: { thinking: false, streaming: true, tools: true, json: true, vision: false } };

let simulator: Simulator;
let vendor: PricedVendor;
let gateway: Gateway;
let hiding: Gateway;
let key: TestKey;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  vendor = startPricedVendor(simulator.url);
  gateway = await startGateway({ config: configuration({}) });
  hiding = await startGateway({ config: configuration({ answers: { cost: "hide" } }) });
  key = await gateway.newKey({ credit: "1000", rpm: 100_000, concurrent: 1000 });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await hiding[Symbol.asyncDispose]();
  await vendor.stop();
  await simulator.stop();
});

function configuration(more: object): string {
  const base_url = { gemini: `${vendor.url}/v1beta`, "bedrock-converse": vendor.url };
  const vendors = PROTOCOLS.map((protocol) => {
    const url = protocol in base_url ? base_url[protocol as keyof typeof base_url] : `${vendor.url}/v1`;
    return [protocol, { protocol, base_url: url, api_key: VENDOR_KEY }];
  });
  const models = PROTOCOLS.flatMap((protocol) =>
    Object.entries({ ...MODELS, free: MODELS.plain }).map(([name, model]) => {
      const upstream_model = protocol === "bedrock-converse" ? `anthropic.${model}` : model;
      const price = name === "free" ? { input: 0, output: 0 } : PRICE;
      return [`${protocol}/${name}`, { price, upstream_model, max_completion_tokens: 64_000, ...SEEN }];
    }),
  );
  const decider = { decisions: { protocol: "decisions" }, systemone: { protocol: "systemone" } };
  return JSON.stringify({
    catalog: "none",
    vendors: {
      ...Object.fromEntries(vendors),
      ...Object.fromEntries(
        Object.entries(decider).map(([id, said]) => [
          id,
          { ...said, base_url: `${vendor.url}/v1`, api_key: VENDOR_KEY },
        ]),
      ),
    },
    models: {
      ...Object.fromEntries(models),
      ...Object.fromEntries(
        Object.keys(decider).map((id) => [
          `${id}/judge`,
          { kind: "decision", price: { input: "1.00" }, upstream_model: "decider" },
        ]),
      ),
    },
    ...more,
  });
}

interface Asked {
  readonly stream: boolean;
  readonly by?: TestKey;
  readonly at?: Gateway;
  readonly repeat?: string;
  readonly text?: string;
}

interface Told {
  readonly usage: Json | null;
  readonly body: string;
  readonly id: string;
  readonly replayed: boolean;
}

async function ask(style: Style, model: string, asked: Asked): Promise<Told> {
  const { stream, by = key, at = gateway, repeat, text = "Say one two three." } = asked;
  const shown = stream && style.protocol === "chat-completions" ? { stream_options: { include_usage: true } } : {};
  const response = await fetch(at.url + style.path(model, { stream }), {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${by.key}`, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      ...(repeat !== undefined && { "idempotency-key": repeat }),
    },
    body: JSON.stringify({ ...style.body(model, { stream, text }), ...shown }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${body}`);
  return {
    usage: stream ? lastUsage(eventsOf(body)) : usageIn(JSON.parse(body) as Json),
    body,
    id: response.headers.get("x-camino-request-id") ?? "",
    replayed: response.headers.get("idempotent-replayed") === "true",
  };
}

/** The usage of an answer, or of an event of one. */
function usageIn(event: Json): Json | null {
  const holder = isObject(event.response) ? event.response : event;
  const usage = holder.usage ?? holder.usageMetadata;
  return isObject(usage) ? usage : null;
}

function lastUsage(events: readonly (Json | "[DONE]")[]): Json | null {
  const usages = events.flatMap((event) => (event === "[DONE]" ? [] : [usageIn(event)]));
  return usages.findLast((usage) => usage !== null) ?? null;
}

/** What an answer's text has of its vendor's costs. `cost` itself may be there once, in the gateway's own usage. */
function leaked(body: string): string[] {
  const names = [...Object.keys(USAGE_COSTS), ...Object.keys(ANSWER_COSTS)].filter((name) => name !== "cost");
  return [
    ...names.filter((name) => body.includes(`"${name}"`)),
    ...body.matchAll(/"cost": ?(?:0\.95|[^0-9])|cost-/g),
  ].map(String);
}

/** The text of a charge as the answer has to show it, without floats. */
function unitsOf(charge_micro: number): string {
  const digits = String(charge_micro).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/0+$/, "").replace(/\.$/, "");
}

async function expectCharged({ usage, body, id }: Told): Promise<Receipt> {
  const receipt = await endedReceipt(gateway, key.key, id);
  expect(leaked(body)).toEqual([]);
  expect(body.match(/"cost":[^,}]*/g)).toEqual([`"cost":${unitsOf(receipt.charge_micro)}`]);
  expect(usage?.cost).toBe(receipt.charge_micro / 1_000_000);
  return receipt;
}

const ways = PROTOCOLS.flatMap((protocol) =>
  STYLES.flatMap((style) => [false, true].map((stream) => ({ protocol, style, stream }))),
);

describe.each(ways)("$style.endpoint by $protocol, streamed $stream: the cost is what the receipt charges", (way) => {
  const { protocol, style, stream } = way;

  test.each(["plain", "estimated", "cached"] as const)("%s", async (name) => {
    const told = await ask(style, `${protocol}/${name}`, { stream });
    const receipt = await expectCharged(told);
    expect(receipt.charge_micro).toBeGreaterThan(0);
    expect(receipt.estimated).toBe(name === "estimated");
  });

  test("free", async () => {
    const told = await ask(style, `${protocol}/free`, { stream });
    expect((await expectCharged(told)).charge_micro).toBe(0);
    expect(told.body).toContain('"cost":0}');
  });

  test("replayed", async () => {
    const asked = { stream, repeat: `${style.endpoint}-${protocol}-${stream}` };
    const first = await ask(style, `${protocol}/plain`, asked);
    const again = await ask(style, `${protocol}/plain`, asked);
    await expectCharged(first);
    expect(again).toMatchObject({ replayed: true, body: first.body });
  });

  test("larger than what a thread reads at once", async () => {
    const text = `Say it once. ${"ü".repeat(300_000)}`;
    const told = await ask(style, `${protocol}/plain`, { stream, text });
    expect((await expectCharged(told)).charge_micro).toBeGreaterThan(75_000);
  });
});

/** A request of messages names its cap, which is held for: no wallet cuts it. */
const cuts = ways.filter(({ stream, style }) => stream && style.endpoint !== "messages");

test.each(cuts)(
  "$style.endpoint by $protocol: what the wallet cuts shows what was charged, and so does its replay",
  async (way) => {
    const poor = await gateway.newKey({ credit: ((4096 * 4 + 1000) / 1_000_000).toFixed(6) });
    const asked = { stream: true, by: poor, repeat: "cut" };
    const told = await ask(way.style, `${way.protocol}/long`, asked);
    const receipt = await endedReceipt(gateway, poor.key, told.id);
    expect(receipt.charge_micro).toBeGreaterThan(4096 * 3);
    expect(leaked(told.body)).toEqual([]);
    expect(told.usage?.cost).toBe(receipt.charge_micro / 1_000_000);
    expect(told.body).toContain(`"cost":${unitsOf(receipt.charge_micro)}`);
    expect(await ask(way.style, `${way.protocol}/long`, asked)).toMatchObject({ replayed: true, body: told.body });
  },
);

describe.each(ways)("$style.endpoint by $protocol, streamed $stream, with answers.cost: hide", (way) => {
  test("neither the gateway's cost nor the vendor's is there", async () => {
    const { protocol, style, stream } = way;
    const by = await hiding.newKey({ credit: "10" });
    const told = await ask(style, `${protocol}/plain`, { stream, by, at: hiding });
    expect(told.usage).not.toBeNull();
    expect(told.body).not.toContain('"cost"');
    expect(leaked(told.body)).toEqual([]);
  });
});

test("a chat stream whose client did not ask for the usage shows no cost", async () => {
  const [chat] = STYLES;
  const body = JSON.stringify(chat?.body("chat-completions/plain", { stream: true }));
  const headers = { authorization: `Bearer ${key.key}`, "content-type": "application/json" };
  const text = await (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  expect(text).toContain("[DONE]");
  expect(text).not.toContain("cost");
  expect(leaked(text)).toEqual([]);
});

test("a stored response shows the cost when it is read", async () => {
  const responses = STYLES.find(({ endpoint }) => endpoint === "responses");
  if (responses === undefined) throw new Error("no responses");
  for (const stream of [false, true]) {
    const told = await ask(responses, "gemini/plain", { stream });
    const [, id] = /"id":"(resp_[^"]+)"/.exec(told.body) ?? [];
    const headers = { authorization: `Bearer ${key.key}` };
    const stored = (await (await fetch(`${gateway.url}/v1/responses/${id}`, { headers })).json()) as Json;
    expect(usageIn(stored)?.cost).toBe(told.usage?.cost as number);
  }
});

const QUESTIONS = {
  decisions: {
    input: [{ role: "user", content: "Ships sail." }],
    questions: [{ name: "ships", type: "predicate", instructions: "Do ships sail?" }],
  },
  systemone: {
    state: ["Ships sail."],
    questions: { ships: { type: "noul", instructions: "Do ships sail?" } },
  },
};

test.each(["decisions", "systemone"] as const)(
  "%s: a decision shows what was charged, and a repeat the same",
  async (endpoint) => {
    const body = JSON.stringify({ model: `${endpoint}/judge`, ...QUESTIONS[endpoint] });
    const headers = {
      ...{ authorization: `Bearer ${key.key}`, "content-type": "application/json", "idempotency-key": endpoint },
    };
    const call = async () => {
      const response = await fetch(`${gateway.url}/v1/${endpoint}`, { method: "POST", headers, body });
      return {
        text: await response.text(),
        id: response.headers.get("x-camino-request-id") ?? "",
        status: response.status,
      };
    };
    const first = await call();
    expect(first).toMatchObject({ status: 200 });
    await expectCharged({
      ...first,
      body: first.text,
      usage: usageIn(JSON.parse(first.text) as Json),
      replayed: false,
    });
    expect((await call()).text).toBe(first.text);
  },
);

/** The protocols, so that the table above has all of them. */
test("the table has every way", () => {
  const protocols: readonly VendorProtocol[] = PROTOCOLS;
  expect([protocols.length, STYLES.length, ways.length, cuts.length]).toEqual([5, 4, 40, 15]);
});
