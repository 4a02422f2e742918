import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { adapterBetween, clientProtocols } from "../../../src/main/protocols.ts";
import { Caller, type Json } from "../../support/calls.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { targetFor } from "../../support/target.ts";

/** docs/rulings.md 188: efforts beyond `xhigh` are taken for the models that list them, and are the specification's 400 elsewhere. */

let simulated: SimulatedGateway;
let caller: Caller;

beforeAll(async () => {
  const thinks = (...effort: string[]) => ({
    ...{ upstream_model: "everything@like=any", max_completion_tokens: 64_000 },
    capabilities: { thinking: true, reasoning: { effort } },
  });
  simulated = await startSimulatedGateway({
    models: {
      "acme/max": thinks("low", "xhigh", "max", "boundless"),
      "acme/high": thinks("low", "high"),
      "acme/plain": { upstream_model: "everything@like=any", capabilities: { thinking: false } },
      "chatty/max": thinks("low", "max"),
      "wordy/max": thinks("low", "max"),
    },
  });
  const key = await simulated.gateway.newKey({ aliases: [{ name: "most", model: "acme/max" }] });
  caller = new Caller(simulated.gateway, key.key);
});
afterAll(() => simulated[Symbol.asyncDispose]());

const vendorSaw = (): Json => simulated.simulator.log.last?.body as Json;
const CHAT = { messages: [{ role: "user", content: "Hi" }] };
/** The three ways in which style A asks for an effort. */
const WAYS = {
  reasoning_effort: ["/v1/chat/completions", (effort: string) => ({ ...CHAT, reasoning_effort: effort })],
  "chat's reasoning.effort": ["/v1/chat/completions", (effort: string) => ({ ...CHAT, reasoning: { effort } })],
  "reasoning.effort": ["/v1/responses", (effort: string) => ({ input: "Hi", reasoning: { effort } })],
} as const;

describe.each(Object.entries(WAYS))("%s", (name, [path, body]) => {
  const ask = (model: string, effort: string, more: object = {}) =>
    caller.post(path, { model, ...body(effort), ...more });

  test.each(["acme/max", "most", "chatty/max", "wordy/max"])(
    "of `max` is taken where the model lists it: %s",
    async (model) => {
      expect((await ask(model, "max")).status).toBe(200);
      expect(JSON.stringify(vendorSaw())).toContain('"max"');
    },
  );

  test("of a word of the model's own is taken as it is", async () => {
    expect((await ask("acme/max", "boundless")).status).toBe(200);
    expect(JSON.stringify(vendorSaw())).toContain('"boundless"');
  });

  test.each([
    ["acme/high", "max", '"xhigh" or null'],
    ["acme/plain", "max", '"xhigh" or null'],
    ["acme/max", "extreme", '"xhigh", "max", "boundless" or null'],
    ["chatty/max", "boundless", '"xhigh", "max" or null'],
  ])("elsewhere is the specification's 400: %s, %s", async (model, effort, allowed) => {
    const before = simulated.simulator.log.total;
    for (const more of [{}, { metadata: { filler: "x".repeat(600_000) } }]) {
      const { status, error } = await ask(model, effort, more);
      const place = name === "reasoning_effort" ? name : "reasoning.effort";
      expect({ status, param: error.param }).toEqual({ status: 400, param: place });
      expect(error.message).toStartWith(`'${place}' is the string "${effort}"; allowed: "none", "minimal"`);
      expect(error.message).toContain(allowed);
    }
    expect(simulated.simulator.log.total).toBe(before);
  });

  test.each(["none", "minimal", "low", "medium", "high", "xhigh"])("of %s is taken everywhere", async (effort) => {
    for (const model of ["acme/high", "acme/plain"]) expect((await ask(model, effort)).status).toBe(200);
  });
});

test('Codex with `model_reasoning_effort = "max"` works, also as a large body', async () => {
  const sent = (await Bun.file(join(import.meta.dir, "../../fixtures/responses/codex-request.json")).json()) as Json;
  const reasoning = { ...(sent.reasoning as object), effort: "max" };
  // The simulator knows what it has encrypted itself.
  const input = (sent.input as Json[]).filter(({ type }) => type !== "reasoning");
  for (const more of [{}, { client_metadata: { filler: "x".repeat(600_000) } }]) {
    const { status, text } = await caller.post("/v1/responses", {
      ...sent,
      ...more,
      input,
      model: "acme/max",
      reasoning,
      stream: false,
    });
    expect({ status, text }).toMatchObject({ status: 200 });
    expect(vendorSaw().reasoning).toMatchObject({ effort: "max" });
  }
});

test.each(["chat-completions", "responses", "messages"] as const)(
  "a fallback that lacks the level gets the nearest that it has: %s",
  (protocol) => {
    const capabilities = { thinking: true, reasoning: { effort: ["low", "high"] } };
    const text = JSON.stringify({ model: "m", input: "Hi", reasoning: { effort: "max" } });
    const request = clientProtocols.responses.readRequest(text, new Headers());
    const exchange = adapterBetween("responses", protocol)?.prepare(
      request,
      targetFor(protocol, { capabilities }),
      new Headers(),
    );
    expect(exchange?.body).toContain('"high"');
    expect(exchange?.body).not.toContain('"max"');
  },
);
