import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import type { TestKey } from "../../support/gateway.ts";
import { type ModelOptions, type Receipt, type Scene, startScene } from "./support/scene.ts";
import { chat, gemini, type Json, STYLES, type Style } from "./support/styles.ts";

/** Retries, routes, fallbacks and circuit breakers: one hold and one charge each, and no storm of retries. */

const ways = STYLES.flatMap((style) =>
  [false, true].map((stream) => ({ style, stream, how: stream ? "streamed" : "whole" })),
);
const named = ways.map((way) => ({ ...way, name: `${way.style.protocol}-${way.how}` }));

const SPARE_PRICE = { input: "2.00", output: "8.00" };
const STORM_MODELS = 60;
const STARVED = "fail-first@n=20&status=500&case=starved";

const models: Record<string, ModelOptions> = {
  "acme/spare": { routes: [route("other", "echo@spare=priced", 1)], price: SPARE_PRICE },
  ...Object.fromEntries(
    named.flatMap(({ name }) => [
      // Each case has its own vendor, because the retries of a vendor have a budget.
      [`hiccup-${name}/echo`, { upstream_model: `fail-first@n=1&case=${name}` }],
      [`acme/down-${name}`, { upstream_model: `fail-500@case=${name}`, fallbacks: ["acme/spare"] }],
      [`acme/half-${name}`, { routes: [route("acme", `fail-500@half=${name}`, 1000), route("other", "echo", 0.001)] }],
      [`acme/late-${name}`, { upstream_model: `cut-mid@case=${name}`, fallbacks: ["acme/spare"] }],
    ]),
  ),
  "acme/weighted": {
    routes: [route("acme", "echo@route=often", 3), route("acme", "echo@route=seldom", 1)],
    // Requests of one conversation would stay together.
    routing: { sticky: "off" },
  },
  "acme/limited": { upstream_model: "fail-429", fallbacks: ["other/spare"] },
  "other/spare": { upstream_model: "echo@spare=other" },
  // Each model fails too seldom to open its circuit.
  ...Object.fromEntries(
    Array.from({ length: STORM_MODELS }, (_, n) => [`storm/m${n}`, { upstream_model: `fail-503@storm=${n}` }]),
  ),
  "closing/m": {},
  "circuit/opens": { upstream_model: "fail-500@case=opens" },
  "circuit/recovers": { upstream_model: "fail-first@n=20&status=500&first_ms=150" },
  "circuit/relapses": { upstream_model: "fail-first@n=21&status=500" },
  "circuit/spared": { upstream_model: "fail-500@case=spared", fallbacks: ["acme/spare"] },
  "starved/x": { upstream_model: STARVED },
  "starved/behind": { routes: [route("starved", "fail-500@case=front", 1000), route("starved", STARVED, 0.001)] },
  ...Object.fromEntries(
    [0, 1, 2, 3, 4].map((n) => [`starved/spender-${n}`, { upstream_model: `fail-503@case=spender-${n}` }]),
  ),
};

function route(vendor: string, upstream_model: string, weight: number): object {
  return { vendor, upstream_model, weight };
}

let scene: Scene;
let closing: Server;
let key: TestKey;

beforeAll(async () => {
  closing = await closingVendor();
  scene = await startScene({
    models,
    vendors: {
      closing: { base_url: `http://127.0.0.1:${(closing.address() as AddressInfo).port}/v1` },
      ...Object.fromEntries(named.map(({ name }) => [`hiccup-${name}`, {}])),
      ...{ other: {}, storm: {}, circuit: {}, starved: {} },
    },
    program: join(import.meta.dir, "../../support/gateways/impatient-gateway.ts"),
  });
  key = await scene.newKey({ credit: "1000" });
});

afterAll(async () => {
  closing.close();
  await scene[Symbol.asyncDispose]();
});

interface Told {
  readonly status: number;
  readonly body: string;
  readonly receipt: Receipt;
  readonly retry_after: string | null;
}

async function ask(model: string, { style = chat, stream = false }: { style?: Style; stream?: boolean } = {}) {
  const response = await scene.call(style, key, model, { stream, cap: 100 });
  const body = await response.text();
  const receipt = await scene.ended(response.headers.get("x-camino-request-id") ?? "");
  return { status: response.status, body, receipt, retry_after: response.headers.get("retry-after") } satisfies Told;
}

function expectPrice({ usage, charge_micro }: Receipt, input: number, output: number): void {
  expect(charge_micro).toBe((usage?.input_tokens ?? 0) * input + (usage?.output_tokens ?? 0) * output);
  expect(charge_micro).toBeGreaterThan(0);
}

const outcomes = ({ attempts }: Receipt) => attempts.map(({ status }) => status);

describe.each(named)("$style.endpoint, $how", ({ style, stream, name }) => {
  test("a short failure is retried: one hold, one charge, both attempts on the receipt", async () => {
    const { status, receipt } = await ask(`hiccup-${name}/echo`, { style, stream });
    expect({ status, outcomes: outcomes(receipt) }).toEqual({ status: 200, outcomes: [503, 200] });
    expect(receipt.attempts.map(({ error }) => error)).toEqual(["provider_error", null]);
    expectPrice(receipt, 1, 4);
    const charges = (await scene.entries(key)).filter(({ request }) => request === receipt.id);
    expect(charges).toHaveLength(1);
  });

  test("another route answers when a route fails", async () => {
    const { status, receipt } = await ask(`acme/half-${name}`, { style, stream });
    expect({ status, outcomes: outcomes(receipt) }).toEqual({ status: 200, outcomes: [500, 200] });
  });

  test("a fallback answers under its own name and at its own price", async () => {
    const { status, body, receipt } = await ask(`acme/down-${name}`, { style, stream });
    expect({ status, outcomes: outcomes(receipt) }).toEqual({ status: 200, outcomes: [500, 200] });
    expect(body).toContain(style === gemini ? '"modelVersion":"acme/spare"' : '"model":"acme/spare"');
    expect(body).not.toContain("acme/down");
    expect(receipt).toMatchObject({ requested_model: `acme/down-${name}`, model: "acme/spare" });
    expectPrice(receipt, 2, 8);
    // 100 tokens at the dearest price of the chain.
    expect(receipt.hold_micro).toBeGreaterThan(800);
  });
});

/** A vendor that keeps its connections open, and closes each of them at the moment of its next use. */
async function closingVendor(): Promise<Server> {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }];
  const body = JSON.stringify({ id: "c1", object: "chat.completion", created: 1, model: "m", choices, usage });
  const server = createServer((socket) => {
    let asked = 0;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!data.toString().startsWith("POST ")) return;
      asked += 1;
      if (asked > 1) socket.destroy();
      else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("a request whose kept connection the vendor closes is retried, at the usual charge", async () => {
  expect((await ask("closing/m")).receipt.attempts).toHaveLength(1);
  const { status, receipt } = await ask("closing/m");
  expect({ status, outcomes: outcomes(receipt) }).toEqual({ status: 200, outcomes: [null, 200] });
  expectPrice(receipt, 1, 4);
});

test.each(STYLES)("$endpoint: nothing is retried after the first byte", async (style) => {
  const { status, receipt } = await ask(`acme/late-${style.protocol}-streamed`, { style, stream: true });
  expect({ status, outcomes: outcomes(receipt), model: receipt.model }).toEqual({
    status: 200,
    outcomes: [200],
    model: `acme/late-${style.protocol}-streamed`,
  });
});

test("routes get their share of the traffic", async () => {
  await Promise.all(Array.from({ length: 400 }, () => ask("acme/weighted")));
  // 300 of 400 on average, with a standard deviation of nine; six deviations are allowed.
  const often = scene.simulator.log.count("echo@route=often");
  expect(often).toBeGreaterThan(246);
  expect(often).toBeLessThan(354);
});

test("every request finds its fallback, however many requests come while a vendor limits the rate", async () => {
  const told = await Promise.all(Array.from({ length: 40 }, () => ask("acme/limited")));
  expect(told.map(({ status }) => status)).toEqual(told.map(() => 200));
  expect(scene.simulator.log.count("fail-429")).toBe(40);
});

test("a vendor that fails every request gets at most a fifth more requests by retries", async () => {
  const asked = Array.from({ length: STORM_MODELS * 2 }, (_, n) => ask(`storm/m${n % STORM_MODELS}`));
  const told = await Promise.all(asked);
  expect(told.every(({ status }) => status === 502 || status === 503)).toBe(true);
  const seen = scene.simulator.log.requests.filter(({ model }) => model?.includes("@storm=")).length;
  expect(seen).toBeGreaterThan(told.length);
  expect(seen).toBeLessThanOrEqual(told.length * 1.2 + 3);
});

describe("a circuit breaker", () => {
  async function open(model: string): Promise<void> {
    for (let failure = 0; failure < 20; failure += 1) expect((await ask(model)).status).toBe(502);
  }

  test.concurrent("opens after twenty failures: no more calls, and the client gets a time to try again", async () => {
    await open("circuit/opens");
    const { status, body, receipt, retry_after } = await ask("circuit/opens");
    expect({ status, retry_after, attempts: receipt.attempts, charge: receipt.charge_micro }).toEqual({
      status: 503,
      retry_after: "1",
      attempts: [],
      charge: 0,
    });
    expect((JSON.parse(body) as { error: Json }).error.code).toBe("model_unavailable");
    expect(scene.simulator.log.count("fail-500@case=opens")).toBe(20);
  });

  test.concurrent("costs a request with a fallback no attempt", async () => {
    for (let failure = 0; failure < 20; failure += 1) expect((await ask("circuit/spared")).status).toBe(200);
    const { status, receipt } = await ask("circuit/spared");
    expect({ status, outcomes: outcomes(receipt) }).toEqual({ status: 200, outcomes: [200] });
  });

  test.concurrent("lets one probe through after its pause, and closes when the probe succeeds", async () => {
    const upstream = "fail-first@n=20&status=500&first_ms=150";
    await open("circuit/recovers");
    await Bun.sleep(1000);
    const probing = await Promise.all(Array.from({ length: 8 }, () => ask("circuit/recovers")));
    expect(probing.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(probing.filter(({ status }) => status === 503)).toHaveLength(7);
    expect(scene.simulator.log.count(upstream)).toBe(21);
    const after = await Promise.all(Array.from({ length: 8 }, () => ask("circuit/recovers")));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
  });

  test.concurrent("pauses longer when its probe fails", async () => {
    await open("circuit/relapses");
    await Bun.sleep(1000);
    expect((await ask("circuit/relapses")).status).toBe(502);
    expect(await ask("circuit/relapses")).toMatchObject({ status: 503, retry_after: "2" });
  });

  test.concurrent("is not left half open by a request that may not use its probe", async () => {
    await open("starved/x");
    // These requests use up the vendor's retry budget.
    for (let n = 0; n < 5; n += 1) expect((await ask(`starved/spender-${n}`)).receipt.attempts).toHaveLength(2);
    await Bun.sleep(1000);
    expect((await ask("starved/behind")).status).toBe(502);
    expect((await ask("starved/x")).status).toBe(200);
  });
});

test("nothing is held, and the books are sound", async () => {
  expect((await scene.wallet(key)).uncollected_micro).toBe(0);
  expect(await scene.gateway.stop()).toBe(0);
  expect((await scene.audit()).problems).toEqual([]);
});
