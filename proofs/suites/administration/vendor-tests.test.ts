import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RouteList } from "../../../contract/routes.ts";
import { Vendor, VendorTest } from "../../../contract/vendors.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { ConsoleCaller } from "./support/console.ts";

/** Test calls and the measurements of vendors, as administrators see them. */

const VENDOR_KEY = "sk-vendor-canary-0123456789";
const PRICE = { input: 1, output: 4 };
const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini"] as const;

let vendor: Simulator;
let gateway: Gateway;
let admin: ConsoleCaller;
let key: TestKey;

beforeAll(async () => {
  vendor = await startSimulator({ api_key: VENDOR_KEY });
  const reached = { base_url: vendor.base_url, api_key: VENDOR_KEY };
  const config = {
    catalog: "none",
    vendors: {
      ...Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, { ...reached, protocol }])),
      refusing: { ...reached, api_key: "sk-wrong-canary-9876543210", protocol: "chat-completions" },
      away: { protocol: "chat-completions", base_url: "http://127.0.0.1:1/v1" },
      deciding: { ...reached, protocol: ["decisions", "systemone"] },
      empty: { ...reached, protocol: "chat-completions" },
    },
    models: {
      ...Object.fromEntries(PROTOCOLS.map((protocol) => [`${protocol}/echo`, { price: PRICE }])),
      "chat-completions/dear": { upstream_model: "echo@dear=1", price: { input: 100, output: 100 } },
      "chat-completions/says-key": { upstream_model: "echo-secret@status=500", price: PRICE },
      "chat-completions/limited": { upstream_model: "fail-429", price: PRICE },
      "chat-completions/broken": { upstream_model: "fail-500", price: PRICE, fallbacks: ["messages/echo"] },
      "chat-completions/lost": { upstream_model: "fail-500@lost=1", price: PRICE },
      "chat-completions/alone": { upstream_model: "fail-500@alone=1", price: PRICE },
      "chat-completions/recovers": { upstream_model: "fail-first@n=20&status=500", price: PRICE },
      "chat-completions/slow": { upstream_model: "slow@ms=50", price: PRICE },
      "deciding/decider": { kind: "decision", price: { input: 1 } },
      "refusing/echo": { price: PRICE },
      "away/echo": { price: PRICE },
    },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  admin = await ConsoleCaller.of(gateway);
  key = await gateway.newKey();
}, 30_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop();
});

const testCall = (id: string, body: object = {}) => admin.read(VendorTest, `POST /vendors/${id}/test`, body);
const ask = (model: string, by = key) => new Caller(gateway, by.key).generate("chat", model);

/** Asks 20 times, for four accounts: what fails for all of them opens the circuit for everybody. */
async function askForMany(model: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let account = 0; account < 4; account += 1) {
    const by = await gateway.newKey();
    for (let time = 0; time < 5; time += 1) statuses.push((await ask(model, by)).status);
  }
  return statuses;
}

describe("a test call", () => {
  for (const protocol of PROTOCOLS) {
    test(`asks a vendor that speaks ${protocol} for a few words of its cheapest model, and is not billed`, async () => {
      const before = vendor.log.total;
      const result = await testCall(protocol);
      expect(result).toMatchObject({ ok: true, vendor: protocol, model: `${protocol}/echo`, protocol, status: 200 });
      expect(result.text).toStartWith("Simulated answer");
      expect(result.usage?.output_tokens).toBeLessThanOrEqual(16);
      expect(result.error).toBeNull();
      expect(vendor.log.total).toBe(before + 1);
      expect(JSON.stringify(vendor.log.requests.at(-1)?.body)).toMatch(/"max\w*[tT]okens":16/);
    });
  }

  test("asks a vendor that has only decision models for a decision", async () => {
    const result = await testCall("deciding");
    expect(result).toMatchObject({ ok: true, model: "deciding/decider", protocol: "decisions", status: 200 });
    expect(result.text).toStartWith("Yes, with a probability of ");
    expect(result.usage).toMatchObject({ output_tokens: 0 });
  });

  test("leaves no request and no charge behind", async () => {
    await testCall("messages");
    const requests = (await (await admin.send("GET /requests")).json()) as { data: unknown[] };
    expect(requests.data).toEqual([]);
    expect((await new Caller(gateway, key.key).get("/v1/credits")).json.balance_micro).toBe(10_000_000);
  });

  test("may name the model", async () => {
    const model = "chat-completions/dear";
    expect(await testCall("chat-completions", { model })).toMatchObject({ model, upstream_model: "echo@dear=1" });
  });

  test("reports the vendor's refusal in the vendor's words", async () => {
    const result = await testCall("refusing");
    expect(result).toMatchObject({
      ok: false,
      status: 401,
      text: null,
      usage: null,
      error: { code: "provider_error" },
    });
    expect(result.error?.message).not.toBe("");
  });

  test("can try out another credential, which is not stored and does not count for the vendor's health", async () => {
    const healthBefore = (await admin.read(Vendor, "GET /vendors/messages")).health;
    const wrong = await testCall("messages", { credential: { api_key: "sk-tried-canary-0123456789" } });
    expect(wrong).toMatchObject({ ok: false, status: 401 });
    expect(await testCall("refusing")).toMatchObject({ ok: false });
    expect(await testCall("refusing", { credential: { api_key: VENDOR_KEY } })).toMatchObject({ ok: true });
    expect(await testCall("refusing")).toMatchObject({ ok: false });
    const { credential, health } = await admin.read(Vendor, "GET /vendors/messages");
    expect(credential).toMatchObject({ source: "file", stored: null });
    expect(health).toEqual(healthBefore);
    const refused = { credential: { api_key: "two words-canary" } };
    expect((await admin.refusal(400, "POST /vendors/messages/test", refused)).message).not.toContain("canary");
  });

  test("removes the credential from a vendor's message", async () => {
    const result = await testCall("chat-completions", { model: "chat-completions/says-key" });
    expect(result).toMatchObject({ ok: false, status: 500 });
    for (const told of admin.told) expect(told).not.toContain("canary");
  });

  test("reports a vendor that cannot be reached", async () => {
    const result = await testCall("away");
    expect(result).toMatchObject({
      ok: false,
      status: null,
      first_byte_ms: null,
      error: { code: "model_unavailable" },
    });
  });

  const refusals: [what: string, vendor: string, body: object, status: number][] = [
    ["without a model to ask", "empty", {}, 400],
    ["of another vendor's model", "messages", { model: "gemini/echo" }, 400],
    ["of a vendor that is not enabled", "openai", {}, 400],
    ["of nobody", "nobody", {}, 404],
    ["with a field that is not known", "messages", { models: "x" }, 400],
  ];
  for (const [what, id, body, status] of refusals) {
    test(`${what} is refused`, async () => {
      const before = vendor.log.total;
      expect((await admin.refusal(status, `POST /vendors/${id}/test`, body)).message).not.toBe("");
      expect(vendor.log.total).toBe(before);
    });
  }
});

describe("health", () => {
  const healthOf = async (model: string) => {
    const { models } = await admin.read(Vendor, "GET /vendors/chat-completions");
    return models.find((each) => each.model === model)?.health ?? null;
  };

  test("counts calls and their durations, whole and streamed", async () => {
    const before = await healthOf("chat-completions/slow");
    expect(before).toMatchObject({ calls: 0, error_rate: null, first_byte_ms: { p50: null }, in_flight: 0 });
    expect((await ask("chat-completions/slow")).status).toBe(200);
    const stream = { stream: true };
    await new Caller(gateway, key.key).generate("chat", "chat-completions/slow", stream);
    const after = await healthOf("chat-completions/slow");
    expect(after).toMatchObject({ calls: 2, errors: 0, error_rate: 0, in_flight: 0, last_error: null });
    for (const measured of [after?.first_byte_ms, after?.total_ms]) expect(measured?.p95).toBeGreaterThan(0);
    expect(after?.total_ms.p50).toBeGreaterThanOrEqual(after?.first_byte_ms.p50 ?? 0);
  });

  test("shows running calls, and does not count a client that left as an error of the vendor", async () => {
    const leaving = new AbortController();
    const stream = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "chat-completions/slow",
        stream: true,
        messages: [{ role: "user", content: "words ".repeat(200) }],
      }),
      signal: leaving.signal,
    });
    await stream.body?.getReader().read();
    expect((await healthOf("chat-completions/slow"))?.in_flight).toBe(1);
    const ended = vendor.log.requests.at(-1)?.ended;
    leaving.abort();
    await ended;
    expect(await healthOf("chat-completions/slow")).toMatchObject({ calls: 3, errors: 0, in_flight: 0 });
  });

  test("counts the vendor's failures, rate limits included, and opens circuits", async () => {
    expect((await ask("chat-completions/limited")).status).toBe(429);
    expect(await healthOf("chat-completions/limited")).toMatchObject({
      errors: 1,
      rate_limited: 1,
      error_rate: 1,
      last_error: { code: "provider_rate_limited", status: 429 },
      circuit: { state: "closed", half_opens_at: null, accounts_alone: null },
    });
    await askForMany("chat-completions/lost");
    const lost = await healthOf("chat-completions/lost");
    expect(lost).toMatchObject({ errors: 20, last_error: { status: 500 }, circuit: { state: "open" } });
    const { health } = await admin.read(Vendor, "GET /vendors/chat-completions");
    expect(health?.circuits_open).toBe(1);
    expect(health?.errors).toBeGreaterThanOrEqual(21);
  });

  test("shows a circuit that is open for one account alone as that, and the model as available", async () => {
    const alone = await gateway.newKey();
    for (let time = 0; time < 20; time += 1) await ask("chat-completions/alone", alone);
    const health = await healthOf("chat-completions/alone");
    expect(health?.circuit).toMatchObject({ state: "open", accounts_alone: 1 });
    expect((await healthOf("chat-completions/lost"))?.circuit).toMatchObject({ state: "open", accounts_alone: null });
    const { data } = await admin.read(RouteList, "GET /routes");
    expect(data.find(({ model }) => model === "chat-completions/alone")?.status).toBe("available");
  });

  test("says for each model whether a request would find a route", async () => {
    expect(new Set(await askForMany("chat-completions/broken"))).toEqual(new Set([200]));
    const { data } = await admin.read(RouteList, "GET /routes");
    const shown = new Map(data.map((each) => [each.model, each]));
    expect(shown.get("messages/echo")).toMatchObject({ status: "available", routes: [{ share: 1, weight: 1 }] });
    expect(shown.get("chat-completions/broken")).toMatchObject({ status: "fallback", fallbacks: ["messages/echo"] });
    expect(shown.get("chat-completions/lost")).toMatchObject({ status: "unavailable" });
    expect(shown.get("chat-completions/lost")?.routes[0]?.protocols).toEqual(["chat-completions"]);
  });

  test("an answered test call closes the circuit, and a failed one leaves it open", async () => {
    await askForMany("chat-completions/recovers");
    expect((await healthOf("chat-completions/recovers"))?.circuit.state).toBe("open");
    expect((await testCall("chat-completions", { model: "chat-completions/lost" })).ok).toBe(false);
    expect((await testCall("chat-completions", { model: "chat-completions/recovers" })).ok).toBe(true);
    expect((await healthOf("chat-completions/lost"))?.circuit.state).toBe("open");
    expect((await healthOf("chat-completions/recovers"))?.circuit.state).toBe("closed");
    expect((await ask("chat-completions/recovers")).status).toBe(200);
  });
});
