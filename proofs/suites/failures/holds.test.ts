import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type Receipt, type Scene, startScene } from "./support/scene.ts";
import { chat, gemini, messages, responses, STYLES, type Style } from "./support/styles.ts";

/** A vendor is never asked for more than is held, and never paid for more than it was asked for (docs/rulings.md 142, 145). */

const REASONING = { capabilities: { thinking: true, reasoning: {} }, max_completion_tokens: 64_000 };
/** 10.00 for a million output tokens. */
const PRICE = { input: "1.00", output: "10.00" };
const HIDDEN = "acme/hidden";
const THOUGHT_TOKENS = 60_000;
const UNKNOWN = "acme/unknown";
const LIAR = "acme/liar";
const DREAMER = "acme/dreamer";
const SILENT = "acme/silent";
const READER = "acme/reader";
/** A row as a README shows it: a price alone, which says nothing of reasoning. */
const UNSAID = { price: PRICE, capabilities: { thinking: undefined } };
const MUCH_THOUGHT = 100_000;
const TWO_WORDS = "Two words";
/** The styles that allow requests without a cap. */
const UNCAPPED = [chat, responses];

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({
    vendors: {
      wordy: { protocol: ["messages"] },
      replies: { protocol: ["responses"] },
    },
    models: {
      [HIDDEN]: { upstream_model: `hidden@think=${THOUGHT_TOKENS}`, price: PRICE, ...REASONING },
      "wordy/hidden": { upstream_model: `hidden@think=${THOUGHT_TOKENS}`, price: PRICE, ...REASONING },
      [UNKNOWN]: { upstream_model: `hidden@think=${THOUGHT_TOKENS}`, price: PRICE, capabilities: { thinking: true } },
      [LIAR]: { upstream_model: "echo@output=2000000000", price: PRICE, max_completion_tokens: 64_000 },
      [DREAMER]: { upstream_model: "hidden@think=3&reasoning=2000000000", price: PRICE, ...REASONING },
      [SILENT]: { upstream_model: "echo@input=0&output=0", price: PRICE, max_completion_tokens: 64_000 },
      "acme/unsaid": { ...UNSAID, upstream_model: `hidden@think=${MUCH_THOUGHT}` },
      "replies/unsaid": { ...UNSAID, upstream_model: `hidden@think=${MUCH_THOUGHT}` },
      "acme/unsaid-slow": { ...UNSAID, upstream_model: `hidden@think=${MUCH_THOUGHT}&ms=20` },
      "acme/slow-reader": { upstream_model: "slow@ms=50&input=2000000000", price: PRICE },
      [READER]: { upstream_model: "echo@input=2000000000", price: PRICE, max_completion_tokens: 64_000 },
    },
  });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

/** The cap in a vendor's request, whatever its protocol calls it. */
function capOf(body: unknown): unknown {
  const { max_tokens, max_completion_tokens, max_output_tokens } = body as Record<string, unknown>;
  return max_completion_tokens ?? max_output_tokens ?? max_tokens;
}

interface Answered {
  readonly status: number;
  readonly capped: string | null;
  readonly receipt: Receipt | null;
}

async function ask(style: Style, key: TestKey, model: string, stream: boolean): Promise<Answered> {
  const response = await scene.call(style, key, model, { stream });
  await response.text();
  const capped = response.headers.get("x-camino-capped");
  if (response.status !== 200) return { status: response.status, capped, receipt: null };
  const receipt = await scene.ended(response.headers.get("x-camino-request-id") ?? "");
  return { status: 200, capped, receipt };
}

const ways = UNCAPPED.flatMap((style) => [true, false].map((stream) => ({ style, stream })));

describe.each(ways)("$style.endpoint, streamed $stream: hidden reasoning without a cap", ({ style, stream }) => {
  test("16 calls at once on a wallet of 1.00 are paid for by it, and cost the operator nothing", async () => {
    const key = await scene.newKey({ credit: "1" });
    const before = scene.simulator.log.requests.length;
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(style, key, HIDDEN, stream)));
    const answered = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
    expect(answered.length).toBeGreaterThanOrEqual(3);
    let charged = 0;
    for (const { receipt, capped } of answered) {
      expect(receipt).toMatchObject({ status: "settled", estimated: false, operator_loss_micro: 0 });
      expect(receipt?.charge_micro).toBeLessThanOrEqual(receipt?.hold_micro ?? 0);
      if (capped !== null) expect(receipt?.usage?.output_tokens).toBeLessThanOrEqual(Number(capped));
      charged += receipt?.charge_micro ?? 0;
    }
    expect(charged).toBeLessThanOrEqual(1_000_000);
    expect(await scene.wallet(key)).toEqual(
      expect.objectContaining({ balance_micro: 1_000_000 - charged, uncollected_micro: 0 }),
    );
    const caps = scene.simulator.log.requests.slice(before).map(({ body }) => String(capOf(body) ?? null));
    // The first may find enough for the model's maximum.
    expect(caps.sort()).toEqual(answered.map(({ capped }) => String(capped)).sort());
    expect(caps.filter((cap) => cap === "null").length).toBeLessThanOrEqual(1);
  });

  test("a wallet that can pay gets the whole answer, and the request goes as it came", async () => {
    const key = await scene.newKey({ credit: "10" });
    const { capped, receipt } = await ask(style, key, HIDDEN, stream);
    expect(capped).toBeNull();
    expect(receipt?.usage?.output_tokens).toBeGreaterThan(THOUGHT_TOKENS);
    expect(capOf(scene.simulator.log.requests.at(-1)?.body)).toBeUndefined();
  });

  test("half of a key's budget caps it as half of a balance does", async () => {
    const key = await scene.newKey({ credit: "10", budget: { amount: "0.2", window: "day" } });
    const { capped, receipt } = await ask(style, key, HIDDEN, stream);
    expect(Number(capped)).toBeGreaterThan(9_900);
    expect(Number(capped)).toBeLessThanOrEqual(10_000);
    expect(receipt).toMatchObject({ operator_loss_micro: 0 });
    expect(receipt?.charge_micro).toBeLessThanOrEqual(100_000);
  });

  test("a model without a known maximum is capped by what the wallet pays for", async () => {
    const key = await scene.newKey({ credit: "0.5" });
    const { capped, receipt } = await ask(style, key, UNKNOWN, stream);
    expect(Number(capped)).toBeLessThanOrEqual(25_000);
    expect(receipt).toMatchObject({ operator_loss_micro: 0, usage: { output_tokens: Number(capped) } });
  });

  test("a wallet that does not pay for 1,024 tokens is refused, and one that pays for no more gets them", async () => {
    expect(await ask(style, await scene.newKey({ credit: "0.010" }), HIDDEN, stream)).toMatchObject({ status: 402 });
    const { capped } = await ask(style, await scene.newKey({ credit: "0.011" }), HIDDEN, stream);
    expect(capped).toBe("1024");
  });
});

describe.each(UNCAPPED)("$endpoint: a model of whose reasoning its row says nothing", (style) => {
  const models = ["acme/unsaid", "replies/unsaid"];

  test.each(models)("%s reasons 100,000 tokens unseen, and a wallet of 100 pays for them", async (model) => {
    const key = await scene.newKey({ credit: "100" });
    const { capped, receipt } = await ask(style, key, model, true);
    expect(capped).toBeNull();
    expect(receipt).toMatchObject({ status: "settled", estimated: false, operator_loss_micro: 0 });
    expect(receipt?.usage?.output_tokens).toBeGreaterThanOrEqual(MUCH_THOUGHT);
    expect(receipt?.charge_micro).toBeGreaterThanOrEqual(MUCH_THOUGHT * 10);
  });

  test.each(models)("%s is capped by a wallet of 0.07, at no loss", async (model) => {
    const { capped, receipt } = await ask(style, await scene.newKey({ credit: "0.07" }), model, true);
    expect(Number(capped)).toBeGreaterThanOrEqual(1024);
    expect(receipt).toMatchObject({ operator_loss_micro: 0, usage: { output_tokens: Number(capped) } });
  });

  test("is read to its end when its client leaves, who pays for what was made", async () => {
    const key = await scene.newKey({ credit: "100" });
    const stream = await scene.stream(style, key, "acme/unsaid-slow");
    await stream.until(({ text, events }) => text.length > 0 || events.length > 2);
    stream.leave();
    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: false, operator_loss_micro: 0 });
    expect(receipt.usage?.output_tokens).toBeGreaterThanOrEqual(MUCH_THOUGHT);
  });
});

test("the cap reaches a vendor of another protocol, below its own maximum", async () => {
  const key = await scene.newKey({ credit: "0.1" });
  const { capped, receipt } = await ask(chat, key, "wordy/hidden", false);
  expect(String(capOf(scene.simulator.log.requests.at(-1)?.body))).toBe(String(capped));
  expect(receipt).toMatchObject({ operator_loss_micro: 0 });
});

test("a capped answer is repeated with its header", async () => {
  const key = await scene.newKey({ credit: "0.1" });
  const headers = { "idempotency-key": "once" };
  const first = await scene.call(chat, key, HIDDEN, { headers });
  const again = await scene.call(chat, key, HIDDEN, { headers });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.headers.get("x-camino-capped")).toBe(first.headers.get("x-camino-capped"));
  expect(await again.text()).toBe(await first.text());
});

const lies = STYLES.flatMap((style) => [true, false].map((stream) => ({ style, stream })));

describe.each(lies)("$style.endpoint, streamed $stream: what a vendor claims beyond what it was asked for", (way) => {
  const { style, stream } = way;
  const claims = [
    { claim: "2,000,000,000 output tokens for two words", model: LIAR },
    { claim: "2,000,000,000 input tokens", model: READER },
    { claim: "nothing at all", model: SILENT },
  ];
  test.each(claims)("$claim: is estimated, counted and logged", async ({ model }) => {
    const key = await scene.newKey({ credit: "10", budget: { amount: "0.01", window: "day" } });
    const response = await scene.call(style, key, model, { stream, text: TWO_WORDS, cap: 100 });
    expect(response.status).toBe(200);
    const shown = await response.text();
    const request_id = response.headers.get("x-camino-request-id") ?? "";
    const receipt = await scene.ended(request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true, operator_loss_micro: 0 });
    expect(receipt.charge_micro).toBeGreaterThan(0);
    expect(receipt.charge_micro).toBeLessThan(200);
    // Streams of messages and of Gemini's tell their input before anybody can know better; the last word is what counts.
    const last = style === gemini ? shown.lastIndexOf("usageMetadata") : shown.indexOf("message_delta");
    expect(shown.slice(last + 1)).not.toContain("2000000000");
    const line = await eventually("the warning", async () => {
      const lines = scene.gateway.log().split("\n");
      return lines.find((each) => each.includes(request_id) && each.includes("doubted")) ?? null;
    });
    expect(line).toContain('"level":"warn"');
  });
});

test("a wrong input at the start of a stream that its client leaves takes nothing", async () => {
  const key = await scene.newKey({ credit: "10" });
  const stream = await scene.stream(messages, key, "acme/slow-reader", { cap: 200 });
  await stream.until(({ text }) => text !== "");
  stream.leave();
  const receipt = await scene.ended(stream.request_id);
  expect(receipt).toMatchObject({ status: "settled", operator_loss_micro: 0 });
  expect(receipt.charge_micro).toBeLessThan(2500);
});

test.each(UNCAPPED)("$endpoint: a wrong count of reasoning alone takes nothing", async (style) => {
  const key = await scene.newKey({ credit: "10", budget: { amount: "0.02", window: "day" } });
  const { receipt } = await ask(style, key, DREAMER, false);
  expect(receipt).toMatchObject({ estimated: true, operator_loss_micro: 0 });
  expect(receipt?.charge_micro).toBeLessThan(200);
});

test("doubts are counted by vendor and part", async () => {
  const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
  for (const part of ["input", "output"]) {
    expect(metrics).toMatch(new RegExp(`camino_disbelieved_usage_total\\{vendor="acme",part="${part}"\\} [1-9]`));
  }
});

test("a client's own cap is held, sent and never changed", async () => {
  const key = await scene.newKey({ credit: "1" });
  const response = await scene.call(messages, key, HIDDEN, { cap: 2000 });
  expect(response.headers.get("x-camino-capped")).toBeNull();
  await response.text();
  expect(capOf(scene.simulator.log.requests.at(-1)?.body)).toBe(2000);
});

test("the books are sound after all of it", async () => {
  expect(await scene.gateway.stop()).toBe(0);
  expect((await scene.audit()).problems).toEqual([]);
});
