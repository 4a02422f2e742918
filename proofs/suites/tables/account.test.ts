import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, Caller, GENERATION, GENERATION_NAMES, type Json } from "../../support/calls.ts";
import type { NewKeyOptions, TestKey } from "../../support/gateway.ts";
import { PRICE, type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** docs/api.md 4.4, 4.5, 4.8 and 4.10: the catalogue as a key sees it, and what it has spent, can spend and has received. */

let simulated: SimulatedGateway;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      "acme/echo": {},
      "acme/other": { upstream_model: "echo" },
      "acme/cached": {},
      "acme/long": {},
      "acme/slow": { upstream_model: "slow@ms=20" },
      "acme/fails": { upstream_model: "fail-400" },
      "acme/falls": { upstream_model: "fail-500", fallbacks: ["acme/dear"] },
      "acme/dear": { upstream_model: "echo", price: { input: 10, output: 40 } },
      "acme/tiered": {
        upstream_model: "echo",
        price: { ...PRICE, tiers: [{ above_input_tokens: 10, input: 2, output: 8 }] },
      },
      "acme/decider": {
        kind: "decision",
        price: { input: 1 },
        decide_with: { engine: "logprobs", model: "acme/echo" },
      },
    },
    limits: { default_key: { rpm: 500 } },
  });
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

async function newCaller(options: NewKeyOptions = {}): Promise<Caller & { account: TestKey }> {
  const account = await simulated.gateway.newKey(options);
  return Object.assign(new Caller(simulated.gateway, account.key), { account });
}

const idsOf = ({ json }: Answer) => (json.data as Json[]).map(({ id }) => id);

describe("4.4 the list of models", () => {
  const CHAT = [
    "acme/echo",
    "acme/other",
    "acme/cached",
    "acme/long",
    "acme/slow",
    "acme/fails",
    "acme/falls",
    "acme/dear",
    "acme/tiered",
  ];

  test.each([
    ["", CHAT, undefined],
    ["?kind=chat", CHAT, "chat"],
    ["?kind=decision", ["acme/decider"], "decision"],
  ])("/v1/models%s", async (query, ids, kind) => {
    const answer = await (await newCaller()).get(`/v1/models${query}`);
    expect(idsOf(answer).sort()).toEqual([...ids].sort());
    for (const model of answer.json.data as Json[]) expect(model.kind as unknown).toBe(kind);
  });

  test("kind=all has models of both kinds, each with its kind", async () => {
    const answer = await (await newCaller()).get("/v1/models?kind=all");
    expect(idsOf(answer).sort()).toEqual([...CHAT, "acme/decider"].sort());
    const kinds = Object.fromEntries((answer.json.data as Json[]).map(({ id, kind }) => [id, kind]));
    expect(kinds).toMatchObject({ "acme/echo": "chat", "acme/decider": "decision" });
  });

  test("paging changes nothing, and neither does a version header under the specification's name", async () => {
    const caller = await newCaller();
    const whole = await caller.get("/v1/models");
    const paged = await caller.get("/v1/models?limit=1&after_id=acme/echo&before_id=x&after=y", {
      "altstyle-version": "latest",
    });
    expect({ status: paged.status, json: paged.json }).toEqual({ status: 200, json: whole.json });
  });

  test("anthropic-version, whatever it says, has the same models in the form of Anthropic's clients", async () => {
    const caller = await newCaller();
    const [whole, theirs] = [
      await caller.get("/v1/models"),
      await caller.get("/v1/models", { "anthropic-version": "x" }),
    ];
    expect([theirs.status, idsOf(theirs)]).toEqual([200, idsOf(whole)]);
    for (const model of theirs.json.data as Json[])
      expect(model).toMatchObject({
        lifecycle: "active",
        capabilities: { thinking: { supported: expect.any(Boolean) } },
      });
  });

  test("a key sees the models that it may use, and no others", async () => {
    const caller = await newCaller({
      models: ["acme/e*", "acme/decider"],
      aliases: [
        { name: "mine", model: "acme/echo" },
        { name: "not-mine", model: "acme/other" },
      ],
    });
    expect(idsOf(await caller.get("/v1/models"))).toEqual(["mine", "acme/echo"]);
    expect(idsOf(await caller.get("/v1/models?kind=all"))).toEqual(["mine", "acme/echo", "acme/decider"]);
    expect((await caller.get("/v1/models/not-mine")).status).toBe(404);
    expect((await caller.generate("chat", "not-mine")).status).toBe(404);
  });
});

describe("4.5 one model", () => {
  test.each(["acme%2Fecho", "acme/echo"])("/v1/models/%s", async (name) => {
    const { status, json } = await (await newCaller()).get(`/v1/models/${name}`);
    expect({ status, json }).toMatchObject({ status: 200, json: { id: "acme/echo", kind: "chat" } });
  });

  test("a path that cannot be decoded is not a model", async () => {
    expect((await (await newCaller()).get("/v1/models/acme%2")).status).toBe(404);
  });
});

describe("aliases", () => {
  const aliased = () =>
    newCaller({
      aliases: [
        { name: "claude-exact", model: "acme/cached" },
        { name: "acme/echo", model: "acme/other" },
        { name: "a:b/c.d_e-f", model: "acme/other" },
      ],
      prefix_aliases: [
        { prefix: "claude-", model: "acme/echo" },
        { prefix: "claude-long-", model: "acme/other" },
      ],
    });

  test("come first in the list, in the key's order, a prefix with a star; an alias that a real id hides is left out", async () => {
    const ids = idsOf(await (await aliased()).get("/v1/models"));
    expect(ids.slice(0, 5)).toEqual(["claude-exact", "a:b/c.d_e-f", "claude-*", "claude-long-*", "acme/echo"]);
  });

  test.each([
    ["an exact alias before a prefix", "claude-exact", "acme/cached"],
    ["a prefix", "claude-anything", "acme/echo"],
    ["a prefix alone", "claude-", "acme/echo"],
    ["the longest prefix", "claude-long-1", "acme/other"],
    ["a real id before everything", "acme/echo", "acme/echo"],
    ["every character that is allowed", "a:b/c.d_e-f", "acme/other"],
  ])("%s: %s is %s, in every style and in the answer", async (_rule, name, root) => {
    const caller = await aliased();
    const { json } = await caller.get(`/v1/models/${encodeURIComponent(name)}`);
    expect(json).toMatchObject({ id: name });
    expect(json.root as unknown).toBe(name === root ? undefined : root);
    for (const style of GENERATION_NAMES) {
      const answer = await caller.generate(style, name);
      expect({ status: answer.status, model: answer.json.model }).toEqual({ status: 200, model: root });
    }
  });

  test("a prefix covers names of at most 256 characters, and a refusal does not repeat more than that", async () => {
    const caller = await aliased();
    const name = `claude-${"x".repeat(249)}`;
    expect((await caller.generate("chat", name)).status).toBe(200);
    const { status, text } = await caller.generate("chat", `${name}x`);
    expect(status).toBe(404);
    expect(text.length).toBeLessThan(400);
  });

  test.each([
    ["a model that does not exist", { name: "x", model: "acme/nothing" }],
    ["another alias", { name: "x", model: "y" }],
    ["nothing", { name: "x", model: "" }],
    ["a name with a space", { name: "a b", model: "acme/echo" }],
    ["a name that is too long", { name: "x".repeat(129), model: "acme/echo" }],
    ["no name", { name: "", model: "acme/echo" }],
  ])("%s is refused when the key is made", async (_what, alias) => {
    const others = { name: "y", model: "acme/echo" };
    await expect(simulated.gateway.newKey({ aliases: [others, alias] })).rejects.toThrow(" 400 ");
  });
});

describe("4.21 the key", () => {
  test("tells what it has used, and what is left of its budget", async () => {
    const caller = await newCaller({ credit: "1", budget: { amount: "0.50", window: "week" }, rpm: 77 });
    const fresh = (await caller.get("/v1/key")).json as { data: Record<string, unknown> };
    const nothing = { usage: 0, usage_daily: 0, usage_weekly: 0, usage_monthly: 0 };
    expect(fresh.data).toMatchObject({ ...nothing, limit: 0.5, limit_remaining: 0.5, limit_reset: "weekly" });
    expect(fresh.data).toMatchObject({ is_free_tier: false, expires_at: null, rate_limit: { requests: 77 } });
    const response = await caller.send("POST", GENERATION.chat.path, GENERATION.chat.body("acme/echo", "one two"));
    await response.text();
    const { json } = await caller.get(`/v1/requests/${response.headers.get("x-request-id")}`);
    const cost = Number(json.charge_micro) / 1e6;
    const used = { usage: cost, usage_daily: cost, usage_weekly: cost, usage_monthly: cost };
    const key = (await caller.get("/v1/key")).json as { data: { limit_remaining: number } };
    expect(key).toMatchObject({ data: used });
    expect(key.data.limit_remaining).toBeCloseTo(0.5 - cost, 9);
  });

  test("has no limit without a budget", async () => {
    const { json } = await (await newCaller({ credit: "1" })).get("/v1/key");
    expect(json.data).toMatchObject({ limit: null, limit_remaining: null, limit_reset: null });
  });
});

describe("4.8 credits", () => {
  test("a running request's hold is deducted from the balance, and the sum changes by the charge alone", async () => {
    const caller = await newCaller({ credit: "1" });
    const credits = async () => (await caller.get("/v1/credits")).json as Record<string, number>;
    expect(await credits()).toEqual({ currency: "USD", balance_micro: 1_000_000, uncollected_micro: 0 } as never);
    const body = { ...GENERATION.chat.body("acme/slow", "one two three four"), max_tokens: 1000, stream: true };
    const response = await caller.send("POST", GENERATION.chat.path, body);
    const held = await credits();
    expect(held.uncollected_micro).toBeGreaterThanOrEqual(1000 * PRICE.output);
    expect((held.balance_micro ?? 0) + (held.uncollected_micro ?? 0)).toBe(1_000_000);
    await response.text();
    const after = await credits();
    const { json } = await caller.get(`/v1/requests/${response.headers.get("x-request-id")}`);
    expect(held.uncollected_micro).toBe(json.hold_micro as number);
    expect(after).toMatchObject({ balance_micro: 1_000_000 - (json.charge_micro as number), uncollected_micro: 0 });
  });

  test.each(["x-api-key", "authorization"])("are read with the key in %s", async (header) => {
    const { account } = await newCaller({ credit: "2" });
    const value = header === "x-api-key" ? account.key : `Bearer ${account.key}`;
    const { json } = await new Caller(simulated.gateway, "").get("/v1/credits", {
      authorization: null,
      [header]: value,
    });
    expect(json).toMatchObject({ balance_micro: 2_000_000 });
  });
});

describe("4.8 usage", () => {
  /** The usage windows, once they count the requests: usage may lag. */
  async function usageOf(caller: Caller, request_count: number): Promise<Json> {
    for (;;) {
      const { json } = await caller.get("/v1/usage");
      if ((json.monthly as Json).request_count === request_count) return json;
      await Bun.sleep(10);
    }
  }

  test("counts answered and refused requests, all input, all output and the charges", async () => {
    const caller = await newCaller({ rpm: 8 });
    const text = "x".repeat(40);
    for (const name of GENERATION_NAMES) {
      const { path, body } = GENERATION[name];
      expect((await caller.post(path, body("acme/cached", text))).status).toBe(200);
    }
    const refused = [
      await caller.generate("chat", "acme/nothing"),
      await caller.generate("messages", "acme/echo", { max_tokens: 0 }),
      await caller.generate("responses", "acme/fails"),
      await caller.post("/v1/chat/completions", "{"),
      await caller.generate("chat", "acme/echo", { max_tokens: 100_000_000 }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 400, 400, 400, 402]);
    // Requests without an account, and requests that do not generate, are not counted.
    await caller.generate("chat", "acme/echo", {}, { authorization: "Bearer cm-123" });
    await caller.get("/v1/models");
    await caller.post("/v1/messages/count_tokens", GENERATION.messages.body("acme/echo"));
    const cost_micro =
      3 * Math.ceil(3 * PRICE.input + 5 * PRICE.cache_read + 2 * PRICE.cache_write + 15 * PRICE.output);
    const window = {
      cost_micro,
      prompt_tokens: 30,
      completion_tokens: 45,
      total_tokens: 75,
      request_count: 8,
      success_count: 3,
    };
    expect(await usageOf(caller, 8)).toEqual({ currency: "USD", daily: window, weekly: window, monthly: window });
  });

  test("counts requests that the rate limit refused", async () => {
    const caller = await newCaller({ rpm: 1 });
    expect((await caller.generate("chat", "acme/echo")).status).toBe(200);
    expect((await caller.generate("chat", "acme/echo")).status).toBe(429);
    expect((await usageOf(caller, 2)).daily).toMatchObject({ success_count: 1 });
  });

  test("is the account's, whichever of its keys asks", async () => {
    const caller = await newCaller();
    const { key } = await simulated.gateway.admin<{ key: string }>("POST", "/keys", {
      account: caller.account.account,
    });
    await caller.generate("chat", "acme/echo");
    expect((await usageOf(new Caller(simulated.gateway, key), 1)).daily).toMatchObject({ success_count: 1 });
  });
});

describe("4.10 receipts", () => {
  test("are found by the gateway's id, and by the client's own id: then the newest", async () => {
    const caller = await newCaller();
    const named = { "x-request-id": "mine" };
    const first = await caller.generate("chat", "acme/echo", {}, named);
    const second = await caller.generate("responses", "acme/other", {}, named);
    const own = second.headers.get("x-camino-request-id") ?? "";
    expect(own).not.toBe(first.headers.get("x-camino-request-id") ?? "");
    expect((await caller.get(`/v1/requests/${own}`)).json).toMatchObject({ id: own, client_request_id: "mine" });
    expect((await caller.get("/v1/requests/mine")).json).toMatchObject({ id: own, endpoint: "responses" });
    const of_first = await caller.get(`/v1/requests/${first.headers.get("x-camino-request-id")}`);
    expect(of_first.json).toMatchObject({ endpoint: "chat.completions", client_request_id: "mine" });
  });

  test("are read by every key of the account, and by no other account", async () => {
    const caller = await newCaller();
    const answer = await caller.generate("messages", "acme/echo");
    const path = `/v1/requests/${answer.headers.get("request-id")}`;
    const { key } = await simulated.gateway.admin<{ key: string }>("POST", "/keys", {
      account: caller.account.account,
    });
    expect((await new Caller(simulated.gateway, key).get(path)).json).toMatchObject({ endpoint: "messages" });
    expect((await (await newCaller()).get(path)).status).toBe(404);
  });

  test("a fallback is named and charged as itself", async () => {
    const caller = await newCaller();
    const answer = await caller.generate("chat", "acme/falls");
    expect(answer.json).toMatchObject({ model: "acme/dear" });
    const { json } = await caller.get(`/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(json).toMatchObject({
      requested_model: "acme/falls",
      model: "acme/dear",
      charge_micro: 2 * 10 + 6 * 40,
      attempts: [
        { upstream_model: "fail-500", status: 500, error: "provider_error" },
        { upstream_model: "echo", status: 200, error: null },
      ],
    });
  });

  test.each([
    ["at the threshold, the prices below it", 40, 10 * 1 + 15 * 4],
    ["above it, the tier's for the whole request", 44, 11 * 2 + 16 * 8],
  ])("tiers: %s", async (_rule, bytes, charge_micro) => {
    const caller = await newCaller();
    const { path, body } = GENERATION.chat;
    const answer = await caller.post(path, body("acme/tiered", "x".repeat(bytes)));
    const { json } = await caller.get(`/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(json).toMatchObject({ charge_micro, price: { tiers: [{ above_input_tokens: 10 }] } });
  });
});

describe("rate limit headers", () => {
  const names = (style: "a" | "b", what: string) =>
    style === "a"
      ? ["limit", "remaining", "reset"].map((part) => `x-ratelimit-${part}-${what}`)
      : ["limit", "remaining", "reset"].map((part) => `anthropic-ratelimit-${what}-${part}`);

  test.each(GENERATION_NAMES)("%s: are on every answer that was counted, whole, streamed or refused", async (name) => {
    const { style } = GENERATION[name];
    // At so few a minute no request flows back while the test runs, however long that takes.
    const caller = await newCaller({ rpm: 4, tpm: 100_000 });
    const [limit = "", remaining = "", reset = ""] = names(style, "requests");
    const [token_limit = "", tokens_left = ""] = names(style, "tokens");
    const answers = [
      await caller.generate(name, "acme/echo"),
      await caller.generate(name, "acme/echo", { stream: true }),
      await caller.generate(name, "acme/fails"),
    ];
    for (const [index, { headers }] of answers.entries()) {
      expect(headers.get(limit)).toBe("4");
      expect(Number(headers.get(remaining))).toBe(3 - index);
      expect(headers.get(reset)).toMatch(style === "a" ? /^(\d+m)?[\d.]+m?s$/ : /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(headers.get(token_limit)).toBe("100000");
      expect(Number(headers.get(tokens_left))).toBeLessThan(100_000);
    }
    const others = names(style === "a" ? "b" : "a", "requests");
    expect(others.filter((other) => answers[0]?.headers.has(other))).toEqual([]);
  });

  test("have no tokens for a key without such a limit, and the configuration's default of requests", async () => {
    const { headers } = await (await newCaller()).generate("chat", "acme/echo");
    expect(headers.get("x-ratelimit-limit-requests")).toBe("500");
    expect(headers.has("x-ratelimit-limit-tokens")).toBeFalse();
  });

  test("the gateway's 429 has them, with none remaining and a time to try again", async () => {
    const caller = await newCaller({ rpm: 1 });
    await caller.generate("chat", "acme/echo");
    const { status, headers } = await caller.generate("chat", "acme/echo");
    expect(status).toBe(429);
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const wait_s = Number(headers.get("retry-after"));
    expect(wait_s).toBeGreaterThan(30);
    expect(wait_s).toBeLessThanOrEqual(60);
  });
});

describe("idempotency", () => {
  test("a finished stream is replayed byte for byte, and charged once", async () => {
    const caller = await newCaller({ credit: "1" });
    const headers = { "idempotency-key": "a" };
    const first = await caller.generate("messages", "acme/echo", { stream: true }, headers);
    const balance = (await caller.get("/v1/credits")).json;
    const again = await caller.generate("messages", "acme/echo", { stream: true }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("content-type")).toBe("text/event-stream");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await caller.get("/v1/credits")).json).toEqual(balance);
  });

  test("keys are the account's: another account's request is another request", async () => {
    const headers = { "idempotency-key": "same" };
    const [one, other] = await Promise.all([newCaller(), newCaller()]);
    await one.generate("chat", "acme/echo", {}, headers);
    const answer = await other.generate("chat", "acme/other", {}, headers);
    expect(answer.headers.has("idempotent-replayed")).toBeFalse();
    expect(answer.json).toMatchObject({ model: "acme/other" });
  });

  test("a refusal is not stored: the same key may be used once the cause is gone", async () => {
    const caller = await newCaller({ credit: "0" });
    const headers = { "idempotency-key": "later" };
    expect((await caller.generate("chat", "acme/echo", {}, headers)).status).toBe(402);
    await simulated.gateway.admin("POST", `/accounts/${caller.account.account}/credits`, { amount: "1" });
    expect((await caller.generate("chat", "acme/echo", {}, headers)).status).toBe(200);
  });
});
