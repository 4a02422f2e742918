import { afterAll, beforeAll, expect, test } from "bun:test";
import { Caller, type Json } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** Cached input of decisions is charged by its class and shown, by both endpoints and vendors of both protocols. */

let vendor: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let caller: Caller;
/** The usage that the vendor tells. */
let told: unknown;

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      Response.json(
        request.url.endsWith("/systemone")
          ? { model: "d", answers: { a: { type: "noul", noul: 0.75 } }, usage: told }
          : { model: "d", answers: [{ type: "predicate", name: "a", probability: 0.75 }], usage: told },
      ),
  });
  const base_url = `http://127.0.0.1:${vendor.port}/v1`;
  const model = { kind: "decision", price: { input: 1, cache_read: 0.1, cache_write: 2 } };
  const config = {
    catalog: "none",
    vendors: { decisions: { protocol: "decisions", base_url }, systemone: { protocol: "systemone", base_url } },
    models: { "decisions/d": model, "systemone/d": model },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  caller = new Caller(gateway, (await gateway.newKey()).key);
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const TEXT = "x ".repeat(5000);
const ASKS = {
  decisions: { input: TEXT, questions: [{ type: "predicate", name: "a", instructions: "Is it?" }] },
  systemone: { state: TEXT, questions: { a: { type: "noul", instructions: "Is it?" } } },
} as const;
const WAYS = (["decisions", "systemone"] as const).flatMap((endpoint) =>
  (["decisions", "systemone"] as const).map((of) => [endpoint, of] as const),
);

async function ask(endpoint: keyof typeof ASKS, of: string, usage: unknown): Promise<{ shown: Json; receipt: Json }> {
  told = usage;
  const answer = await caller.post(`/v1/${endpoint}`, { model: `${of}/d`, ...ASKS[endpoint] });
  expect([answer.status, answer.text.includes("0.75")]).toEqual([200, true]);
  const receipt = await endedReceipt(gateway, caller.key, answer.headers.get("x-request-id") ?? "");
  return { shown: answer.json.usage as Json, receipt: { ...receipt } };
}

const CACHED = { cached_tokens: 3000, cache_write_tokens: 1000 };

test.each(WAYS)("a /v1/%s answered by a vendor of %s", async (endpoint, of) => {
  const usage = { input_tokens: 5000, input_tokens_details: CACHED, output_tokens: 0, total_tokens: 5000 };
  const { shown, receipt } = await ask(endpoint, of, usage);
  // 1,000 at 1, 3,000 at 0.1 and 1,000 at 2.
  expect(receipt).toMatchObject({
    charge_micro: 3300,
    estimated: false,
    usage: { input_tokens: 1000, cache_read_tokens: 3000, cache_write_tokens: 1000, output_tokens: 0 },
  });
  expect(shown).toMatchObject({ input_tokens: 5000, output_tokens: 0 });
  if (endpoint === "decisions") expect(shown).toMatchObject({ input_tokens_details: CACHED, total_tokens: 5000 });
  else expect(Object.keys(shown)).not.toContain("input_tokens_details");
});

test.each(WAYS)("what nobody priced is named on the receipt: /v1/%s by %s", async (endpoint, of) => {
  const { receipt } = await ask(endpoint, of, { input_tokens: 5000, output_tokens: 0, judge_tokens: 40 });
  expect(receipt).toMatchObject({ charge_micro: 5000, usage: { unpriced: ["judge_tokens"] } });
});

test.each(WAYS)("details beyond their sum are not believed: /v1/%s by %s", async (endpoint, of) => {
  const { receipt, shown } = await ask(endpoint, of, {
    input_tokens: 5000,
    input_tokens_details: { cached_tokens: 6000 },
  });
  expect(receipt).toMatchObject({ estimated: true, usage: { cache_read_tokens: 0 } });
  expect(receipt.charge_micro).toBe(shown.input_tokens as number);
});

test.each(WAYS)("nor is a count beyond the bytes that were sent: /v1/%s by %s", async (endpoint, of) => {
  const { receipt } = await ask(endpoint, of, { input_tokens: 90_000_000, input_tokens_details: { cached_tokens: 1 } });
  expect(receipt).toMatchObject({ estimated: true, usage: { cache_read_tokens: 0 } });
});
