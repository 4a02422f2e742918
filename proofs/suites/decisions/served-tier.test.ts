import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type DecisionGateway, startDecisionGateway } from "./support/decision-gateway.ts";
import { QUESTIONS, STATE } from "./support/questions.ts";

/** A vendor's account may serve another tier than was asked for; the engine's calls cost what was served (docs/rulings.md 173). */

const PRICE = { input: 2, output: 8, service_tiers: { priority: { input: 20, output: 80 } } };

let simulator: Simulator;
let decisions: DecisionGateway;
let tier = "default";

const vendor = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "application/json" };
    const reply = await fetch(simulator.base_url + pathname, {
      method: "POST",
      headers,
      body: await request.text(),
    });
    const answer = (await reply.json()) as Record<string, unknown>;
    return Response.json({ ...answer, service_tier: tier }, { status: reply.status });
  },
});

beforeAll(async () => {
  simulator = await startSimulator();
  const odd = { base_url: `http://127.0.0.1:${vendor.port}`, models: [] };
  const decide_with = { engine: "logprobs", model: "odd/judge" };
  decisions = await startDecisionGateway({
    odd,
    models: {
      "odd/judge": { price: PRICE, upstream_model: "judge" },
      "odd/engine": { kind: "decision", price: { input: 10 }, decide_with },
    },
  });
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
  await vendor.stop(true);
  await simulator.stop();
});

async function costAt(served: string): Promise<number> {
  tier = served;
  const { gateway, key } = decisions;
  const body = { model: "odd/engine", input: STATE, questions: QUESTIONS };
  const answer = await new Caller(gateway, key.key).post("/v1/decisions", body);
  expect(answer.status).toBe(200);
  const receipt = await endedReceipt(gateway, key.key, answer.headers.get("x-request-id") ?? "");
  return (receipt as typeof receipt & { readonly upstream_cost_micro: number }).upstream_cost_micro;
}

test("a decision's calls cost by the list of the tier that was served, and by the usual one where it has none", async () => {
  const usual = await costAt("default");
  expect(usual).toBeGreaterThan(0);
  expect(await costAt("priority")).toBe(usual * 10);
  expect(await costAt("unheard_of")).toBe(usual);
});
