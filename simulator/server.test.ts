import { describe, expect, test } from "bun:test";
import { type SimulatorOptions, startSimulator } from "./server.ts";
import { PLAIN_REQUESTS, send } from "./testing/requests.ts";

/** A simulator that stops at the end of its test. */
async function started(options: SimulatorOptions = {}) {
  const simulator = await startSimulator(options);
  return { ...simulator, [Symbol.asyncDispose]: () => simulator.stop() };
}

const CHAT = PLAIN_REQUESTS[0];
if (CHAT === undefined) throw new Error("no request");

describe("a simulator with an expected key", () => {
  test.each(PLAIN_REQUESTS)("refuses any other key on $protocol with 401 in the protocol's form", async (request) => {
    await using simulator = await started({ api_key: "sk-right" });
    const withHeaders = (headers: Record<string, string>) =>
      send(simulator.url, { ...request, headers: { ...request.headers, ...headers } }, "echo", false);
    for (const wrong of [{}, { authorization: "Bearer sk-wrong" }, { "x-api-key": "sk-wrong" }]) {
      const answer = await withHeaders(wrong);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toHaveProperty("error.message", "Incorrect API key provided.");
    }
    expect((await withHeaders({ authorization: "Bearer sk-right" })).status).toBe(200);
    expect((await withHeaders({ "x-api-key": "sk-right" })).status).toBe(200);
    expect((await withHeaders({ "api-key": "sk-right" })).status).toBe(200);
  });
});

describe("the request log", () => {
  test("has each request as the vendor received it, and how its answer ended", async () => {
    await using simulator = await started();
    const heard: (string | null)[] = [];
    simulator.log.onRequest = ({ model }) => heard.push(model);
    const answer = await send(simulator.url, { ...CHAT, headers: { "X-Team": "gateway" } }, "echo", true);
    const text = await answer.text();
    const record = await simulator.log.last?.ended;
    expect(record).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      protocol: "chat-completions",
      model: "echo",
      status: 200,
      finished: true,
      aborted: false,
      bytes_written: Buffer.byteLength(text),
      headers: { "x-team": "gateway", "content-type": "application/json" },
      body: { model: "echo", stream: true },
    });
    expect(heard).toEqual(["echo"]);
    expect(simulator.log.count("echo")).toBe(1);
  });

  test("is bounded, and can be cleared or turned off", async () => {
    await using simulator = await started({ keep: 2 });
    for (const model of ["echo", "fail-500", "nothing"]) await (await send(simulator.url, CHAT, model, false)).text();
    expect(simulator.log.requests.map(({ model }) => model)).toEqual(["fail-500", "nothing"]);
    expect(simulator.log.total).toBe(3);
    simulator.log.clear();
    expect(simulator.log).toMatchObject({ total: 0, requests: [] });
    await using silent = await started({ keep: 0 });
    await (await send(silent.url, CHAT, "echo", true)).text();
    expect(silent.log).toMatchObject({ total: 1, requests: [] });
    expect(silent.log.count("echo")).toBe(1);
  });
});

describe("a simulator", () => {
  test("refuses a body that is no JSON object or names no model, and a path that it does not serve", async () => {
    await using simulator = await started();
    const post = (path: string, body: string) => fetch(`${simulator.url}${path}`, { method: "POST", body });
    expect((await post("/v1/chat/completions", "{")).status).toBe(400);
    expect((await post("/v1/chat/completions", "[]")).status).toBe(400);
    expect((await post("/v1/chat/completions", "{}")).status).toBe(400);
    expect((await post("/v1/unheard-of", "{}")).status).toBe(404);
    expect((await fetch(`${simulator.url}/v1/chat/completions`)).status).toBe(404);
  });

  test("keeps to a client's pace: it writes no more than the client reads", async () => {
    await using simulator = await started();
    const answer = await send(simulator.url, CHAT, "long@tokens=8000000&piece=16384", true);
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const record = await simulator.log.last?.ended;
    expect(record).toMatchObject({ aborted: true, finished: false });
    expect(record?.bytes_written).toBeLessThan(31_000_000);
  });

  test("stops while answers are still running", async () => {
    const simulator = await startSimulator();
    const seen = Promise.withResolvers<void>();
    simulator.log.onRequest = () => seen.resolve();
    const pending = send(simulator.url, CHAT, "hang", true).catch((error: unknown) => error);
    await seen.promise;
    await simulator.stop();
    expect(await pending).toBeDefined();
    expect(await simulator.log.last?.ended).toMatchObject({ aborted: true });
  });
});
