import { afterAll, beforeAll, expect, test } from "bun:test";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/**
 * A call that is read on for a client that has left keeps its place, and says so (docs/rulings.md 143); and a vendor that limits the
 * rate without saying for how long (docs/rulings.md 18).
 */

let vendor: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let caller: Caller;
/** Lets the vendor's running stream end. */
const end = Promise.withResolvers<void>();
const asked = Promise.withResolvers<void>();
let is_limited = false;

const CHUNK = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
const line = (more: object) => `data: ${JSON.stringify({ ...CHUNK, ...more })}\n\n`;

async function* stream() {
  yield line({ choices: [{ index: 0, delta: { role: "assistant", content: "Hello" }, finish_reason: null }] });
  asked.resolve();
  await end.promise;
  yield line({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  yield line({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 } });
  yield "data: [DONE]\n\n";
}

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () =>
      is_limited
        ? Response.json({ error: { message: "slow down" } }, { status: 429 })
        : new Response(stream(), { headers: { "content-type": "text/event-stream" } }),
  });
  const base_url = `http://127.0.0.1:${vendor.port}/v1`;
  const config = {
    catalog: "none",
    vendors: { acme: { protocol: "chat-completions", base_url, on_disconnect: "drain" } },
    models: { "acme/m": { price: { input: 1, output: 1 } } },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  caller = new Caller(gateway, (await gateway.newKey({ concurrent: 1 })).key);
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const ASK = { model: "acme/m", messages: [{ role: "user", content: "hi" }], stream: true };

test("a call that is read on for nobody keeps its place, and the 429 says so", async () => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const headers = { authorization: `Bearer ${caller.key}`, "x-request-id": "left" };
  const left = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(ASK),
    signal,
  });
  const id = left.headers.get("x-camino-request-id") ?? "";
  await asked.promise;
  leaving.abort();
  const refused = await caller.post("/v1/chat/completions", ASK);
  expect([refused.status, refused.error.code]).toEqual([429, "rate_limit_exceeded"]);
  expect(refused.error.message).toContain("A call whose client has disconnected counts until it ends");
  end.resolve();
  // Charged by the vendor's own usage, and the place is free.
  expect(await endedReceipt(gateway, caller.key, id)).toMatchObject({ charge_micro: 16, estimated: false });
  expect((await caller.post("/v1/chat/completions", ASK)).status).toBe(200);
});

test("a vendor's limit without a hint has a wait of its own", async () => {
  is_limited = true;
  const refused = await caller.post("/v1/chat/completions", ASK);
  expect([refused.status, refused.error.code, refused.headers.get("retry-after")]).toEqual([
    ...[429, "provider_rate_limited", "5"],
  ]);
  is_limited = false;
});
