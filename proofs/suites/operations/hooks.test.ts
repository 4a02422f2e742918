import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Caller, GENERATION_NAMES } from "../../support/calls.ts";
import type { TestKey } from "../../support/gateway.ts";
import { HookServer } from "../../support/hook-server.ts";
import { type SimulatedGateway, startSimulatedGateway, VENDOR_KEY } from "../../support/simulated-gateway.ts";

/** Hooks before and after a request: an operator's own server decides, and is told (docs/rulings.md 232). */

const MODELS = { "acme/echo": { upstream_model: "echo" }, "chatty/echo": { upstream_model: "echo" } };

let hook: HookServer;
let scene: SimulatedGateway;
let key: TestKey;
let caller: Caller;

beforeAll(async () => {
  hook = new HookServer();
  const headers = { authorization: "Bearer for the hook" };
  const hooks = {
    before: { url: `${hook.url}/check`, deadline: "2s", headers },
    after: { url: `${hook.url}/seen` },
  };
  scene = await startSimulatedGateway({ models: MODELS, limits: { body: "2MiB" }, sections: { hooks } });
  key = await scene.gateway.newKey({ credit: "50", rpm: 100_000 });
  caller = new Caller(scene.gateway, key.key);
});
afterEach(() => {
  hook.answer = () => Response.json({ action: "allow" });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
});

const idOf = ({ headers }: { readonly headers: Headers }) => headers.get("x-camino-request-id") ?? "";
const asked = () => scene.simulator.log.requests.length;

describe("before a request", () => {
  test.each(GENERATION_NAMES)("the hook is asked with the body as it came, in %s", async (name) => {
    const answer = await caller.generate(name, "chatty/echo", {}, { "x-camino-tags": "team=search" });
    expect(answer.status).toBe(200);
    const { body, headers } = await hook.about("/check", idOf(answer));
    expect(body).toMatchObject({ account: key.account, key: key.id, project: null, tags: { team: "search" } });
    expect(body).toMatchObject({ model: "chatty/echo", body: { model: "chatty/echo" } });
    expect(headers.get("authorization")).toBe("Bearer for the hook");
    expect(JSON.stringify(body)).not.toContain(key.key);
    const { json } = await caller.get(`/v1/requests/${idOf(answer)}`);
    expect(Number(json.hook_ms)).toBeGreaterThanOrEqual(0);
    expect(Number(json.hook_ms)).toBeLessThanOrEqual(Number(json.queue_ms) + 1);
  });

  test("a refusal is a 400 with the hook's sentence, and nothing is held, charged or sent", async () => {
    hook.answer = () => Response.json({ action: "refuse", message: "Not about our competitors." });
    const before = asked();
    const answer = await caller.generate("chat", "acme/echo");
    expect([answer.status, answer.error.code, answer.error.message]).toEqual([
      400,
      "refused_by_policy",
      "Not about our competitors.",
    ]);
    expect(asked()).toBe(before);
    expect((await caller.get(`/v1/requests/${idOf(answer)}`)).status).toBe(404);
  });

  test("a changed body is what is planned, held and sent", async () => {
    hook.answer = ({ body }) => {
      const asks = body.body as { messages: { content: string }[] };
      const messages = asks.messages.map((message) => ({ ...message, content: "[masked]" }));
      return Response.json({ action: "change", body: { ...asks, messages, model: "chatty/echo" } });
    };
    const answer = await caller.generate("chat", "acme/echo");
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("[masked]");
    expect(scene.simulator.log.requests.at(-1)?.text).not.toContain("Hello!");
    const { json } = await caller.get(`/v1/requests/${idOf(answer)}`);
    expect(json.model).toBe("chatty/echo");
  });

  const CHANGES: readonly [what: string, change: object, status: number][] = [
    ["names a model that there is not", { model: "acme/none", messages: [{ role: "user", content: "x" }] }, 404],
    ["is no request", { model: "acme/echo", messages: "x" }, 400],
  ];
  test.each(CHANGES)("a changed body that %s is judged like a client's", async (_what, body, status) => {
    hook.answer = () => Response.json({ action: "change", body });
    expect((await caller.generate("chat", "acme/echo")).status).toBe(status);
  });

  test("a large body is asked about and changed as well", async () => {
    const content = "Hello! ".repeat(120_000);
    hook.answer = ({ text }) => {
      const length = text.length;
      return Response.json({
        action: "change",
        body: { model: "acme/echo", messages: [{ role: "user", content: `short, of ${length > 800_000}` }] },
      });
    };
    const answer = await caller.post("/v1/chat/completions", {
      model: "acme/echo",
      messages: [{ role: "user", content }],
    });
    expect([answer.status, answer.text.includes("short, of true")]).toEqual([200, true]);
  });

  test("who asks for a model that there is not is refused without the hook", async () => {
    const before = hook.calls.length;
    expect((await caller.generate("chat", "acme/none")).status).toBe(404);
    expect(hook.calls.length).toBe(before);
  });

  const FAULTS: readonly [what: string, answer: () => Response | Promise<Response>][] = [
    ["fails", () => new Response("no", { status: 500 })],
    ["sends elsewhere", () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } })],
    ["says no JSON", () => new Response("allow")],
    ["knows no action", () => Response.json({ action: "perhaps" })],
    ["changes to no object", () => Response.json({ action: "change", body: "x" })],
    ["changes to more than may be sent", () => Response.json({ action: "change", body: { a: "x".repeat(2 ** 21) } })],
    ["says more than is read", () => Response.json({ action: "allow", more: "x".repeat(2 ** 22) })],
    ["says nothing", () => new Promise(() => {})],
  ];
  test.each(FAULTS)("a hook that %s refuses with a 503 that may be tried again", async (_what, answer) => {
    hook.answer = answer;
    const before = asked();
    const refused = await caller.generate("chat", "acme/echo");
    expect([refused.status, refused.error.code]).toEqual([503, "model_unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(asked()).toBe(before);
  });
});

describe("after a request", () => {
  test.each([
    ["whole", false],
    ["streamed", true],
  ])("the hook is told of a %s answer as the client got it, with its charge", async (_what, stream) => {
    const answer = await caller.generate("chat", "acme/echo", { stream });
    const { body } = await hook.about("/seen", idOf(answer));
    const { json } = await caller.get(`/v1/requests/${idOf(answer)}`);
    expect(body).toMatchObject({ account: key.account, key: key.id, endpoint: "chat.completions", model: "acme/echo" });
    expect(body.charge_micro).toBe(json.charge_micro);
    expect(body.usage).toMatchObject({ input_tokens: (json.usage as Record<string, unknown>).input_tokens });
    expect(body.answer).toBe(answer.text);
    expect(JSON.stringify(body)).not.toContain(VENDOR_KEY);
  });

  test("a hook that says nothing keeps no client waiting, nor the gateway from its end", async () => {
    await using silent = new HookServer();
    silent.answer = () => new Promise(() => {});
    const sections = { hooks: { after: { url: silent.url } } };
    await using other = await startSimulatedGateway({ models: MODELS, sections });
    const own = new Caller(other.gateway, (await other.gateway.newKey({ credit: "5" })).key);
    for (let time = 0; time < 20; time += 1) expect((await own.generate("chat", "acme/echo")).status).toBe(200);
    const { json } = await own.generate("chat", "acme/echo");
    expect(json).not.toHaveProperty("hook_ms");
    expect(await other.gateway.stop()).toBe(0);
  });
});

describe("a hook that is away", () => {
  async function startAway(on_failure: string): Promise<SimulatedGateway> {
    const before = { url: "http://127.0.0.1:1/check", on_failure };
    return await startSimulatedGateway({ models: MODELS, sections: { hooks: { before } } });
  }

  test("lets requests pass where it is to", async () => {
    await using away = await startAway("allow");
    const own = new Caller(away.gateway, (await away.gateway.newKey({ credit: "5" })).key);
    for (let time = 0; time < 25; time += 1) expect((await own.generate("chat", "acme/echo")).status).toBe(200);
    const metrics = await (await fetch(`${away.gateway.url}/metrics`)).text();
    expect(metrics).toContain('camino_hook_calls_total{hook="before",result="failed"} 20\n');
    expect(metrics).toContain('camino_hook_calls_total{hook="before",result="rests"} 5\n');
  });

  test("is not asked any more after twenty failures, and says for how long", async () => {
    await using away = await startAway("refuse");
    const own = new Caller(away.gateway, (await away.gateway.newKey({ credit: "5" })).key);
    for (let time = 0; time < 20; time += 1) expect((await own.generate("chat", "acme/echo")).status).toBe(503);
    const refused = await own.generate("chat", "acme/echo");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1);
  });
});
