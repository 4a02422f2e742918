import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { CacheState, EmptiedCache } from "../../../contract/cache.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** Answers that are given again (docs/rulings.md 183), with real gateways on both databases, and the official clients unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const PRICE = { input: "100.00", output: "400.00", cache_read: "10.00", cache_write: "125.00" };
const CHAT = { price: PRICE, max_completion_tokens: 4096, capabilities: { thinking: false, tools: true } };

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

function configuration(fields: object = {}): string {
  const vendor = (protocol: string | readonly string[], base_url = simulator.base_url) => {
    return { protocol, base_url, api_key: VENDOR_KEY };
  };
  return JSON.stringify({
    catalog: "none",
    vendors: {
      acme: vendor(["chat-completions", "responses", "messages"]),
      chat: vendor("chat-completions"),
    },
    models: {
      "acme/echo": CHAT,
      "acme/other": { ...CHAT, upstream_model: "echo" },
      "acme/reason": { ...CHAT, upstream_model: "reason", capabilities: { thinking: true } },
      "acme/tools": { ...CHAT, upstream_model: "tools" },
      "acme/breaks": { ...CHAT, upstream_model: "long@tokens=20&fault=cut-mid" },
      "acme/fails": { ...CHAT, upstream_model: "fail-400" },
      "acme/slow": { ...CHAT, upstream_model: "long@tokens=10&ms=20" },
      "chat/embed": { kind: "embedding", price: { input: "2.00" }, upstream_model: "embed" },
    },
    aliases: { swift: "acme/echo" },
    cache: { charge: 10 },
    ...fields,
  });
}

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cache?: string | null;
}

async function send(gateway: Gateway, { key }: TestKey, body: object, sent: Sent = {}) {
  const { path = "/v1/chat/completions", headers = {}, cache = "10m" } = sent;
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(cache !== null && { "x-camino-cache": cache }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    cache: response.headers.get("x-camino-cache"),
    request_id: response.headers.get("x-camino-request-id") ?? "",
    text,
  };
}

let asked = 0;
/** A request that no other test sends. */
function fresh(fields: object = {}): Readonly<Record<string, unknown>> {
  asked += 1;
  return { model: "acme/echo", messages: [{ role: "user", content: `question ${asked}` }], ...fields };
}

describe.each(["sqlite", "postgres"])("on %s", (kind) => {
  let gateway: Gateway;
  let key: TestKey;

  beforeAll(async () => {
    const database = kind === "postgres" ? { database: await freshDatabase() } : {};
    gateway = await startGateway({ config: configuration(), ...database });
    key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const vendorCalls = () => simulator.log.total;

  test("the same request gets the stored bytes, at its share of the price, with a receipt", async () => {
    const body = fresh();
    const first = await send(gateway, key, body);
    expect([first.status, first.cache]).toEqual([200, "miss"]);
    const calls = vendorCalls();
    const again = await send(gateway, key, { messages: body.messages, model: "swift" });
    expect([again.status, again.cache]).toEqual([200, "hit"]);
    expect(vendorCalls()).toBe(calls);
    const [paid, hit] = [JSON.parse(first.text), JSON.parse(again.text)];
    expect({ ...hit, usage: null }).toEqual({ ...paid, usage: null });
    const [of_first, of_hit] = await Promise.all(
      [first, again].map(({ request_id }) => endedReceipt(gateway, key.key, request_id)),
    );
    expect(of_hit?.charge_micro).toBe(Math.ceil((of_first?.charge_micro ?? 0) / 10));
    expect(of_hit).toMatchObject({ status: "settled", attempts: [], price: { variant: "cache=hit" } });
    expect(of_hit?.hold_micro).toBe(of_hit?.charge_micro);
    expect(hit.usage.cost).toBe((of_hit?.charge_micro ?? 0) / 1_000_000);
    expect({ ...hit.usage, cost: 0 }).toEqual({ ...paid.usage, cost: 0 });
  });

  test("the same letters, given again and again, are judged each time: whose key it is, and what their name stands for", async () => {
    const body = fresh({ model: "mine" });
    const [mine, others] = await Promise.all(
      ["acme/echo", "acme/other"].map((model) => gateway.newKey({ credit: "100", aliases: [{ name: "mine", model }] })),
    );
    if (mine === undefined || others === undefined) throw new Error("no keys");
    const found = [];
    for (const asks of [mine, mine, mine, others, others, mine]) found.push((await send(gateway, asks, body)).cache);
    expect(found).toEqual(["miss", "hit", "hit", "miss", "hit", "hit"]);
    await gateway.admin("PATCH", `/keys/${mine.id}`, { aliases: [{ name: "mine", model: "acme/other" }] });
    const since = [];
    for (const asks of [mine, mine]) since.push((await send(gateway, asks, body)).cache);
    expect(since).toEqual(["miss", "hit"]);
  });

  test("an account's stored answers are weighed and removed, of it alone and of all, also what still waits", async () => {
    const [own, others] = await Promise.all([1, 2].map(() => gateway.newKey({ credit: "100" })));
    if (own === undefined || others === undefined) throw new Error("no keys");
    const body = fresh();
    const found = async (asks: TestKey) => (await send(gateway, asks, body)).cache;
    const bytesOf = async (account?: string) =>
      (await gateway.admin<CacheState>("GET", `/cache${account === undefined ? "" : `?account=${account}`}`)).bytes;
    expect([await found(own), await found(others)]).toEqual(["miss", "miss"]);
    await Bun.sleep(300);
    const [bytes, all_bytes] = [await bytesOf(own.account), await bytesOf()];
    expect(bytes).toBeGreaterThan(500);
    expect(all_bytes).toBeGreaterThanOrEqual(2 * bytes);
    const removed = await gateway.admin<EmptiedCache>("POST", "/cache/empty", { account: own.account });
    expect(removed).toEqual({ removed: 1 });
    expect([await bytesOf(own.account), await bytesOf()]).toEqual([0, all_bytes - bytes]);
    expect([await found(own), await found(others), await found(own)]).toEqual(["miss", "hit", "hit"]);
    await gateway.admin("POST", "/cache/empty", { all: true });
    expect(await bytesOf()).toBe(0);
    expect([await found(own), await found(others)]).toEqual(["miss", "miss"]);
    for (const names of [{}, { account: own.account, all: true }])
      await expect(gateway.admin("POST", "/cache/empty", names)).rejects.toThrow("400");
  });

  test("a stream is given again as it was, and once more after it was written", async () => {
    const body = fresh({ stream: true, stream_options: { include_usage: true } });
    const first = await send(gateway, key, body);
    const again = await send(gateway, key, body);
    await Bun.sleep(300);
    const later = await send(gateway, key, body);
    expect([first.cache, again.cache, later.cache]).toEqual(["miss", "hit", "hit"]);
    const without_cost = (text: string) => text.replace(/"cost":[\d.]+/, "");
    expect(without_cost(again.text)).toBe(without_cost(first.text));
    expect(later.text).toBe(again.text);
    expect(again.text).toContain("[DONE]");
  });

  test.each([
    ["another account", (body: object) => ({ body, other: true })],
    ["another model", (body: object) => ({ body: { ...body, model: "acme/other" } })],
    ["a tool", (body: object) => ({ body: { ...body, tools: [TOOL] } })],
    ["another setting", (body: object) => ({ body: { ...body, temperature: 0.5 } })],
    [
      "a large number that a double does not tell apart",
      (body: object) => ({ body: { ...body, seed: 9007199254740990 } }),
    ],
    ["no wish for the cache", (body: object) => ({ body, cache: null })],
    ["off", (body: object) => ({ body, cache: "off" })],
    ["a wish for a new answer", (body: object) => ({ body, cache: "refresh" })],
  ] as const)("%s is asked anew", async (_, change) => {
    const body = fresh();
    await send(gateway, key, body);
    const changed: { body: object; other?: boolean; cache?: string | null } = change(body);
    const by = changed.other === true ? await gateway.newKey({ credit: "10" }) : key;
    const calls = vendorCalls();
    const answer = await send(gateway, by, changed.body, {
      cache: changed.cache ?? (changed.cache === null ? null : "10m"),
    });
    expect(answer.status).toBe(200);
    expect(answer.cache).not.toBe("hit");
    expect(vendorCalls()).toBe(calls + 1);
  });

  test("what broke, failed or was refused is not stored", async () => {
    for (const model of ["acme/breaks", "acme/fails"]) {
      const body = fresh({ model, stream: true });
      await send(gateway, key, body);
      const calls = vendorCalls();
      expect((await send(gateway, key, body)).cache).not.toBe("hit");
      expect(vendorCalls()).toBeGreaterThan(calls);
    }
  });

  test.each([
    ["a response that is stored", "/v1/responses", { input: "stored" }],
    [
      "a completion that its vendor stores",
      "/v1/chat/completions",
      { messages: [{ role: "user", content: "s" }], store: true },
    ],
  ])("%s is not cached", async (_, path, body) => {
    const sent = { model: "acme/echo", ...body };
    const answers = [await send(gateway, key, sent, { path }), await send(gateway, key, sent, { path })];
    expect(answers.map(({ cache }) => cache)).toEqual(["bypass", "bypass"]);
  });

  test("an age that is not accepted is asked anew, and the new answer counts", async () => {
    const body = fresh();
    await send(gateway, key, body);
    await Bun.sleep(1100);
    expect((await send(gateway, key, body, { cache: "1s" })).cache).toBe("miss");
    expect((await send(gateway, key, body, { cache: "1s" })).cache).toBe("hit");
  });

  test("a header that says nothing gets a 400 that names what is allowed", async () => {
    for (const cache of ["yes", "0m", "10", "1y", ""]) {
      const { status, text } = await send(gateway, key, fresh(), { cache: cache === "" ? "," : cache });
      expect(status).toBe(400);
      expect(text).toContain("allowed: a time such as");
    }
    const { status, text } = await send(gateway, key, fresh(), { cache: "on" });
    expect(status).toBe(400);
    expect(text).toContain("neither the key nor its project has a time");
  });

  test("usage says how many requests found a stored answer, and what that saved", async () => {
    const by = await gateway.newKey({ credit: "10" });
    const body = fresh();
    for (let calls = 0; calls < 3; calls += 1) await send(gateway, by, body);
    for (;;) {
      const headers = { authorization: `Bearer ${by.key}` };
      const { cache } = (await (await fetch(`${gateway.url}/v1/usage`, { headers })).json()) as {
        cache?: { hits: number; misses: number; saved_micro: number };
      };
      if (cache?.hits === 2 && cache.misses === 1 && cache.saved_micro > 0) {
        const explored = await gateway.admin<object>("GET", `/usage/explore?account=${by.account}`);
        expect(explored).toMatchObject({ cache });
        const of_key = await gateway.admin<object>("GET", `/usage/explore?account=${by.account}&key=${by.id}`);
        expect(of_key).not.toHaveProperty("cache");
        break;
      }
      await Bun.sleep(100);
    }
  });

  test("on is the time of the key, else of its project", async () => {
    const project = await gateway.admin<{ id: string; cache: string }>("POST", "/projects", {
      ...{ account: key.account, name: "cached", cache: "60m" },
    });
    expect(project.cache).toBe("1h");
    const by = await gateway.admin<TestKey>("POST", "/keys", { account: key.account, project: project.id });
    const body = fresh();
    expect((await send(gateway, by, body, { cache: "on" })).cache).toBe("miss");
    expect((await send(gateway, by, body, { cache: "on" })).cache).toBe("hit");
    await Bun.sleep(1100);
    expect(await gateway.admin("PATCH", `/keys/${by.id}`, { cache: "1s" })).toMatchObject({ cache: "1s" });
    expect((await send(gateway, by, body, { cache: "on" })).cache).toBe("miss");
    expect(await gateway.admin("PATCH", `/projects/${project.id}`, { cache: null })).not.toHaveProperty("cache");
    expect(await gateway.admin("PATCH", `/keys/${by.id}`, { cache: null })).not.toHaveProperty("cache");
    expect((await send(gateway, by, body, { cache: "on" })).status).toBe(400);
  });

  test("a hit is judged by its own price: a key's budget that pays for it and not for the call lets it through", async () => {
    const rich = await gateway.newKey({ credit: "1000" });
    const body = fresh({ max_tokens: 100 });
    const first = await send(gateway, rich, body);
    const { charge_micro } = await endedReceipt(gateway, rich.key, first.request_id);
    const left = (charge_micro / 2 / 1e6).toFixed(6);
    const by = await gateway.admin<TestKey>("POST", "/keys", {
      ...{ account: rich.account, name: "poor", budget: { amount: left, window: "day" } },
    });
    expect((await send(gateway, by, fresh({ max_tokens: 100 }))).status).toBe(402);
    expect(await send(gateway, by, body)).toMatchObject({ status: 200, cache: "hit" });
  });

  test("equal requests at once all get answers, and one stored answer is left", async () => {
    const body = fresh({ model: "acme/slow" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(gateway, key, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await send(gateway, key, body)).cache).toBe("hit");
  });

  test("a repeat by its idempotency key is replayed, also of a hit", async () => {
    const body = fresh();
    await send(gateway, key, body);
    const headers = { "idempotency-key": `k-${asked}` };
    const hit = await send(gateway, key, body, { headers });
    const replay = await send(gateway, key, body, { headers });
    expect([hit.cache, replay.text]).toEqual(["hit", hit.text]);
    expect(replay.request_id).not.toBe(hit.request_id);
  });

  test("embeddings are given again", async () => {
    const body = { model: "chat/embed", input: `words ${asked}` };
    const path = "/v1/embeddings";
    const answers = [await send(gateway, key, body, { path }), await send(gateway, key, body, { path })];
    expect(answers.map(({ cache }) => cache)).toEqual(["miss", "hit"]);
  });

  test("a gateway that is killed and started again has what was written", async () => {
    const body = fresh();
    await send(gateway, key, body);
    await Bun.sleep(500);
    const before = fresh();
    await gateway.stop("SIGKILL");
    gateway = await gateway.restart();
    expect((await send(gateway, key, body)).cache).toBe("hit");
    expect((await send(gateway, key, before)).cache).toBe("miss");
  });

  const clients = () => {
    const headers = { "x-camino-cache": "10m" };
    return {
      openai: new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: headers }),
      anthropic: new Anthropic({
        authToken: key.key,
        apiKey: null,
        baseURL: gateway.url,
        maxRetries: 0,
        defaultHeaders: headers,
      }),
      google: new GoogleGenAI({ apiKey: key.key, httpOptions: { baseUrl: gateway.url, headers } }),
    };
  };

  const STYLES: Readonly<Record<string, (model: string, text: string, stream: boolean) => Promise<unknown>>> = {
    async chat(model, content, stream) {
      const { openai } = clients();
      const asked_for = {
        model,
        messages: [{ role: "user" as const, content }],
        ...(model.endsWith("tools") && { tools: [TOOL] }),
      };
      const completion = stream
        ? await openai.chat.completions
            .stream({ ...asked_for, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await openai.chat.completions.create(asked_for);
      const { message, finish_reason } = completion.choices[0] ?? { message: null, finish_reason: null };
      return {
        text: message?.content || null,
        calls: message?.tool_calls?.map((call) => "function" in call && { ...call.function }) ?? [],
        finish_reason,
        tokens: completion.usage?.total_tokens,
      };
    },
    async responses(model, input, stream) {
      const { openai } = clients();
      const asked_for = { model, input, store: false };
      const response = stream
        ? await openai.responses.stream(asked_for).finalResponse()
        : await openai.responses.create(asked_for);
      return {
        text: response.output_text,
        types: response.output.map(({ type }) => type),
        tokens: response.usage?.total_tokens,
      };
    },
    async messages(model, content, stream) {
      const { anthropic } = clients();
      const asked_for = { model, max_tokens: 1000, messages: [{ role: "user" as const, content }] };
      const message = stream
        ? await anthropic.messages.stream(asked_for).finalMessage()
        : await anthropic.messages.create(asked_for);
      return { content: message.content, stop: message.stop_reason, tokens: message.usage.output_tokens };
    },
    async gemini(model, contents, stream) {
      const { google } = clients();
      if (!stream) {
        const answer = await google.models.generateContent({ model, contents });
        return { text: answer.text, tokens: answer.usageMetadata?.totalTokenCount };
      }
      let text = "";
      let tokens: number | undefined;
      for await (const part of await google.models.generateContentStream({ model, contents })) {
        text += part.text ?? "";
        tokens = part.usageMetadata?.totalTokenCount ?? tokens;
      }
      return { text, tokens };
    },
  };

  const cases = Object.keys(STYLES).flatMap((style) =>
    ["acme/echo", "acme/reason", ...(style === "chat" ? ["acme/tools"] : [])].flatMap((model) =>
      [false, true].map((stream) => ({
        style,
        model,
        stream,
        first: stream ? "stream" : "whole answer",
        other: stream ? "whole answer" : "stream",
      })),
    ),
  );
  test.each(cases)("$style: a $other is made of the $first of $model", async ({ style, model, stream }) => {
    asked += 1;
    const ask = STYLES[style];
    if (ask === undefined) throw new Error(style);
    const text = `say ${asked} again`;
    const first = await ask(model, text, stream);
    const calls = vendorCalls();
    const other = await ask(model, text, !stream);
    expect(vendorCalls()).toBe(calls);
    expect(other).toEqual(first);
  });
});

const TOOL = {
  type: "function" as const,
  function: { name: "look_up", parameters: { type: "object", properties: { word: { type: "string" } } } },
};

test("two nodes of one database share what was answered", async () => {
  const database = await freshDatabase();
  const env = { CAMINO_SECRET: "a-secret-of-both-gateways-in-this-test" };
  await using one = await startGateway({ config: configuration(), database, env });
  const key = await one.newKey({ credit: "100" });
  await using two = await startGateway({ config: configuration(), database, env });
  const body = fresh();
  const first = await send(one, key, body);
  expect(first.cache).toBe("miss");
  for (;;) {
    const again = await send(two, key, body);
    if (again.cache === "hit") break;
    await Bun.sleep(20);
  }
});

test("a database that cannot be written costs the cache and no answer", async () => {
  const database = await freshDatabase();
  await using gateway = await startGateway({ config: configuration(), database });
  const key = await gateway.newKey({ credit: "100" });
  await using raw = new Bun.SQL(database, { max: 1 });
  await raw.unsafe("DROP TABLE cached_answers");
  const body = fresh();
  for (let calls = 0; calls < 3; calls += 1) {
    expect((await send(gateway, key, body)).status).toBe(200);
    await Bun.sleep(50);
  }
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/camino_cache_stores_total\{result="failed"\} \d/);
});
