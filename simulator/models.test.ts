import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SIMULATED_MODELS } from "./models.ts";
import { type Simulator, startSimulator } from "./server.ts";
import { PLAIN_REQUESTS, send } from "./testing/requests.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

describe("the table of models", () => {
  test("names every model once, with decimal prices and a sentence that says what it does", () => {
    const ids = SIMULATED_MODELS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, price, behaviour } of SIMULATED_MODELS) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      expect(behaviour).toEndWith(".");
      for (const amount of Object.values(price)) expect(amount).toMatch(/^\d+\.\d{2,6}$/);
    }
  });

  test("declares reasoning controls exactly where a model thinks", () => {
    for (const { capabilities } of SIMULATED_MODELS) {
      expect(capabilities.reasoning !== undefined).toBe(capabilities.thinking);
    }
  });

  test("is equal to the answers of GET /v1/models and GET /v1/models/{id}", async () => {
    const list = await (await fetch(`${simulator.base_url}/models`)).json();
    expect(list).toMatchObject({ object: "list", has_more: false, first_id: "echo" });
    expect(list).toHaveProperty("data.length", SIMULATED_MODELS.length);
    const detail = await fetch(`${simulator.base_url}/models/tools`);
    expect(await detail.json()).toMatchObject({ id: "tools", object: "model", type: "model" });
    expect((await fetch(`${simulator.base_url}/models/unheard-of`)).status).toBe(404);
  });
});

describe.each(PLAIN_REQUESTS)("on $protocol", (request) => {
  const answering = SIMULATED_MODELS.filter(
    ({ group, kind, id }) => group !== "failures" && kind === "chat" && id !== "slow" && id !== "judge-slow",
  );

  test.each(answering.map(({ id }) => id))("%s answers, streamed and whole", async (id) => {
    for (const stream of [true, false]) {
      const answer = await send(simulator.url, request, id, stream);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-camino-simulated")).toBe("true");
      const text = await answer.text();
      if (stream) expect(text.trimStart()).toMatch(/^(data: \{|event: |: keep-alive)/);
      else expect(JSON.parse(text)).toHaveProperty("model", id);
    }
  });

  test("slow pauses between words, for the time in its name", async () => {
    const answer = await send(simulator.url, request, "slow@ms=1", true);
    expect(await answer.text()).toContain("six");
  });

  test("an unknown model is 404, in the vendor's own form", async () => {
    const answer = await send(simulator.url, request, "unheard-of", false);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toHaveProperty("error.message", "The model 'unheard-of' does not exist.");
  });

  test("an optional sim/ before the name changes nothing but the name that the answer repeats", async () => {
    const answer = await send(simulator.url, request, "sim/echo", false);
    expect(await answer.json()).toHaveProperty("model", "sim/echo");
  });
});
