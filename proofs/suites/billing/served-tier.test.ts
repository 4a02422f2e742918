import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, GENERATION, type GenerationName } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt, type Receipt } from "../../support/receipts.ts";
import { type Json, type ScriptedVendor, startScriptedVendor, TELLERS } from "../../support/told-by-vendor.ts";

/** The tier that was served is charged, whatever was asked for (docs/rulings.md 173), over real HTTP. */

const PRICE = {
  ...{ input: "2", output: "8" },
  service_tiers: { priority: { input: "10", output: "40" }, flex: { input: "1", output: "4" } },
  speeds: { fast: { input: "20", output: "80" } },
};
/** The charge of 10 tokens of input and 5 of output by each list. */
const COST = { usual: 60, priority: 300, flex: 30, fast: 600 };
type Name = keyof typeof TELLERS;
const VENDORS = Object.keys(TELLERS) as Name[];
const STYLES: readonly GenerationName[] = ["chat", "responses", "messages"];
const OWN = { chat: "chat-completions", responses: "responses", messages: "messages" } as const;

let vendor: ScriptedVendor;
let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  vendor = startScriptedVendor();
  const vendors = Object.fromEntries(
    VENDORS.map((protocol) => [protocol, { protocol, base_url: vendor.baseUrl(protocol), api_key: "k" }]),
  );
  const model = { max_completion_tokens: 1000, capabilities: { thinking: false }, price: PRICE };
  const models = Object.fromEntries(VENDORS.map((name) => [`${name}/m`, model]));
  gateway = await startGateway({ config: JSON.stringify({ catalog: "none", vendors, models }) });
  caller = new Caller(gateway, (await gateway.newKey({ credit: "1000" })).key);
}, 60_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

/** A usage of 10 and 5 tokens, and what was served, in the words of each vendor. */
function told(name: Name, served: string | undefined, speed?: string) {
  const tier = served === undefined ? {} : { service_tier: served };
  const usages: Readonly<Record<Name, Json>> = {
    "chat-completions": { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    responses: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    messages: { input_tokens: 10, output_tokens: 5, ...tier, ...(speed && { speed }) },
    gemini: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 15,
      ...(served && { serviceTier: served }),
    },
  };
  const more = name === "chat-completions" || name === "responses" ? tier : {};
  return { text: "Hello", reports: [usages[name], usages[name]], more };
}

type Tiered = Receipt & { readonly price: { readonly variant?: string }; readonly usage: Json };

async function receiptOf(style: GenerationName, name: Name, stream: boolean, more: Json): Promise<Tiered> {
  const body = { ...GENERATION[style].body(`${name}/m`), stream, ...more };
  const answer = await caller.post(GENERATION[style].path, body);
  expect(answer.status).toBe(200);
  return (await endedReceipt(gateway, caller.key, answer.headers.get("x-camino-request-id") ?? "")) as Tiered;
}

function play(name: Name, stream: boolean, said: ReturnType<typeof told>): void {
  const named = name === "responses" || name === "messages";
  vendor.answer(TELLERS[name][stream ? "streamed" : "whole"](said), { named, done: name === "chat-completions" });
}

const ways = STYLES.flatMap((style) =>
  VENDORS.flatMap((name) => [true, false].map((stream) => ({ style, name, stream }))),
);

describe.each(ways)("from $style to $name, streamed $stream", ({ style, name, stream }) => {
  test.each([
    ["priority", COST.priority],
    ["flex", COST.flex],
    ["default", COST.usual],
    ["standard", COST.usual],
    [undefined, COST.usual],
  ])("nothing asked and %p served", async (served, cost) => {
    play(name, stream, told(name, served));
    const receipt = await receiptOf(style, name, stream, {});
    expect(receipt).toMatchObject({ charge_micro: cost, estimated: false });
    expect(receipt.price.variant).toBe(cost === COST.usual ? undefined : `service_tier=${served}`);
    expect(receipt.usage.unpriced).toBeUndefined();
  });

  test("what has no list is charged as what was asked for, and named", async () => {
    play(name, stream, told(name, "ultra"));
    const receipt = await receiptOf(style, name, stream, {});
    expect(receipt).toMatchObject({ charge_micro: COST.usual, usage: { unpriced: ["service_tier=ultra"] } });
  });
});

describe.each(STYLES.flatMap((style) => [true, false].map((stream) => ({ style, stream }))))(
  "$style, streamed $stream: asked for priority",
  ({ style, stream }) => {
    test.each([
      ["priority", COST.priority],
      ["default", COST.usual],
      ["flex", COST.flex],
      [undefined, COST.priority],
      ["ultra", COST.priority],
    ])("and %p served", async (served, cost) => {
      play(OWN[style], stream, told(OWN[style], served));
      expect((await receiptOf(style, OWN[style], stream, { service_tier: "priority" })).charge_micro).toBe(cost);
    });
  },
);

test.each([
  ["fast", "fast", COST.fast],
  ["fast", "standard", COST.usual],
  ["fast", undefined, COST.fast],
  [undefined, "fast", COST.fast],
  [undefined, "standard", COST.usual],
] as const)("messages: the speed %p asked and %p served", async (speed, served, cost) => {
  play("messages", true, told("messages", undefined, served));
  expect((await receiptOf("messages", "messages", true, speed ? { speed } : {})).charge_micro).toBe(cost);
});

test.each([
  ["left to the vendor", {}, 40],
  ["automatic", { service_tier: "auto" }, 40],
  ["the usual one", { service_tier: "default" }, 8],
  ["the cheap one", { service_tier: "flex" }, 8],
])("the hold covers the dearest list where the tier is %s", async (_, more, output_micro) => {
  play("chat-completions", false, told("chat-completions", "default"));
  const { hold_micro } = await receiptOf("chat", "chat-completions", false, { max_tokens: 1000, ...more });
  expect(hold_micro).toBeGreaterThanOrEqual(1000 * output_micro);
  expect(hold_micro).toBeLessThan(1000 * output_micro + 4000);
});

test("a whole answer and a stream by a dearer list cost the operator nothing on a small wallet", async () => {
  for (const stream of [true, false]) {
    const { key } = await gateway.newKey({ credit: "0.05" });
    play("chat-completions", stream, told("chat-completions", "priority"));
    const answer = await new Caller(gateway, key).post("/v1/chat/completions", {
      ...GENERATION.chat.body("chat-completions/m"),
      stream,
    });
    const receipt = await endedReceipt(gateway, key, answer.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ charge_micro: COST.priority, operator_loss_micro: 0 });
  }
});
