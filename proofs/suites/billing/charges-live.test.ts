import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, Caller } from "../../support/calls.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** docs/rulings.md 144 on a gateway that runs: what is priced is charged on a line of its own, by the list that was asked for. */

let simulated: SimulatedGateway;
let caller: Caller;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: {
      "acme/plain": { upstream_model: "echo" },
      "acme/rich": {
        upstream_model: "echo",
        price: {
          ...{ input: 1, output: 4, calls: { web_search: 10 } },
          service_tiers: { flex: { input: 0.5, output: 2 } },
        },
      },
    },
  });
  caller = new Caller(simulated.gateway, (await simulated.gateway.newKey({})).key);
});
afterAll(() => simulated[Symbol.asyncDispose]());

const chat = (model: string, members: object) =>
  caller.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello there" }], ...members });

interface Receipt {
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly calls?: object };
  readonly price: { readonly variant?: string; readonly input_micro_per_mtok: number };
  readonly charge_micro: number;
  readonly hold_micro: number;
}

async function receiptOf(answer: Answer): Promise<Receipt> {
  const { json } = await caller.get(`/v1/requests/${answer.headers.get("x-camino-request-id")}`);
  return json as unknown as Receipt;
}

test("a service tier with a list is charged by it, and the receipt names it", async () => {
  const usual = await receiptOf(await chat("acme/rich", {}));
  const flex = await receiptOf(await chat("acme/rich", { service_tier: "flex" }));
  expect(flex.price).toMatchObject({ variant: "service_tier=flex", input_micro_per_mtok: 500_000 });
  expect(usual.price.variant).toBeUndefined();
  expect(flex.usage).toEqual(usual.usage);
  const { input_tokens, output_tokens } = flex.usage;
  expect(flex.charge_micro).toBe(Math.ceil((input_tokens * 500_000 + output_tokens * 2_000_000) / 1_000_000));
});

test("a tier without a list is left out, named, and charged at the usual price", async () => {
  const answer = await chat("acme/plain", { service_tier: "flex" });
  expect([answer.status, answer.headers.get("x-camino-ignored")]).toEqual([200, "service_tier"]);
  expect((await receiptOf(answer)).price.variant).toBeUndefined();
});

test("a search that no usage counts is charged once, within the hold", async () => {
  const receipt = await receiptOf(await chat("acme/rich", { web_search_options: {} }));
  expect(receipt.usage.calls).toEqual({ web_search: 1 });
  const { input_tokens, output_tokens } = receipt.usage;
  expect(receipt.charge_micro).toBe(input_tokens + output_tokens * 4 + 10_000);
  expect(receipt.hold_micro).toBeGreaterThanOrEqual(receipt.charge_micro);
  expect((await chat("acme/plain", { web_search_options: {} })).status).toBe(400);
});

test("a twin of a member is refused before anything is held", async () => {
  const answer = await chat("acme/rich", { N: 100 });
  expect(answer.status).toBe(400);
});
