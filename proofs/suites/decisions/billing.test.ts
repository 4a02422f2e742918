import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { Caller, type Json } from "../../support/calls.ts";
import { endedReceipt, type Receipt } from "../../support/receipts.ts";
import {
  CHAT_PRICE,
  type DecisionGateway,
  judged,
  MICRO_PER_TOKEN,
  served,
  startDecisionGateway,
  untilCounting,
} from "./support/decision-gateway.ts";
import { CRITERIA, LEVELS, QUESTIONS, SHAPES, STATE } from "./support/questions.ts";

/** Decisions are billed exactly, by their input alone; the cost of the engine's calls is shown beside the charge. */

let decisions: DecisionGateway;
let caller: Caller;

beforeAll(async () => {
  decisions = await startDecisionGateway({
    judges: { declining: "judge-refusing" },
    models: {
      "decisions/no-usage": served("decider-no-usage"),
      "decisions/refusing": served("decider-refusing"),
      "decisions/slow": served("decider-slow"),
      "chat/refusing": judged("declining"),
      "chat/pair": judged("judge", { debias: "two" }),
      "chat/plain": judged("judge", { debias: "none" }),
      "chat/seeing": { ...judged("judge"), input_modalities: ["text", "image"] },
    },
  });
  caller = decisions.caller;
  await untilCounting(decisions);
});

afterAll(async () => {
  await decisions[Symbol.asyncDispose]();
});

interface Billed extends Receipt {
  readonly upstream_cost_micro: number | null;
  readonly attempts: readonly (Receipt["attempts"][number] & { readonly calls?: number; readonly failures?: number })[];
}

async function receiptOf(headers: Headers, key = caller.key): Promise<Billed> {
  return (await endedReceipt(decisions.gateway, key, headers.get("x-request-id") ?? "")) as Billed;
}

/** docs/api.md 8: the input once, every question's instructions, every description. */
const TEXTS = [
  STATE,
  ...QUESTIONS.map(({ instructions }) => instructions),
  CRITERIA.billing,
  CRITERIA.delivery,
  ...LEVELS,
];
const COUNTED = TEXTS.reduce((sum, text) => sum + countTokens(text), 0);

const ask = (model: string, more: Json = {}) => ({ ...SHAPES.decisions.body(model), ...more });

describe("the engine's decisions", () => {
  test("are billed for the input once and every question's texts, in either shape", async () => {
    for (const { path, body } of Object.values(SHAPES)) {
      const answer = await caller.post(path, body("chat/engine"));
      expect(answer.json.usage).toMatchObject({ input_tokens: COUNTED, output_tokens: 0 });
      expect(await receiptOf(answer.headers)).toMatchObject({
        status: "settled",
        usage: { input_tokens: COUNTED, output_tokens: 0, cache_read_tokens: 0 },
        estimated: false,
        charge_micro: COUNTED * MICRO_PER_TOKEN,
      });
    }
  });

  test.each([
    ["chat/plain", 1 + 1 + 1],
    ["chat/pair", 2 + 2 + 2],
    ["chat/engine", 2 + 3 + 2],
  ])("by %s take %i calls, whose cost stands on the receipt to the micro unit", async (model, calls) => {
    const sent: Json[] = [];
    decisions.simulator.log.onRequest = ({ body }) => void sent.push(body as Json);
    const answer = await caller.post("/v1/decisions", ask(model));
    decisions.simulator.log.onRequest = null;
    expect(sent).toHaveLength(calls);
    // The simulator counts a token for every four bytes of a request's text, and one generated token.
    const input_tokens = sent.reduce((sum, { messages }) => {
      const text = (messages as { content: unknown }[]).map(({ content }) => textOf(content)).join("");
      return sum + Math.ceil(Buffer.byteLength(text) / 4);
    }, 0);
    const cost = input_tokens * CHAT_PRICE.input + calls * CHAT_PRICE.output;
    const receipt = await receiptOf(answer.headers);
    expect(receipt.upstream_cost_micro).toBe(cost);
    expect(receipt.attempts).toMatchObject([{ vendor: "chat", status: 200, error: null, calls, failures: 0 }]);
    expect(receipt.charge_micro).toBe(COUNTED * MICRO_PER_TOKEN);
  });

  test("count an image by the documented estimate", async () => {
    const pixel =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const image = (detail: string) => ({ type: "input_image", image_url: pixel, detail });
    const models = { low: 85, high: 765 };
    for (const [detail, tokens] of Object.entries(models)) {
      const input = [{ role: "user", content: [{ type: "input_text", text: STATE }, image(detail)] }];
      const answer = await caller.post("/v1/decisions", { ...ask("chat/seeing"), input });
      expect(answer.json.usage).toMatchObject({ input_tokens: COUNTED + tokens });
    }
  });
});

/** A message's content as text. */
function textOf(content: unknown): string {
  return typeof content === "string" ? content : (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}

describe("a vendor's decisions", () => {
  test("are billed by the vendor's own count", async () => {
    const answer = await caller.post("/v1/decisions", ask("decisions/decider"));
    const { input_tokens } = answer.json.usage as { input_tokens: number };
    const receipt = await receiptOf(answer.headers);
    expect(receipt).toMatchObject({ charge_micro: input_tokens * MICRO_PER_TOKEN, estimated: false });
    expect(receipt.upstream_cost_micro).toBeNull();
    expect(receipt.attempts).toEqual([expect.not.objectContaining({ calls: expect.anything() })]);
  });

  test("are counted by the gateway, and marked as estimated, where the vendor sends no count", async () => {
    const answer = await caller.post("/v1/decisions", ask("decisions/no-usage"));
    expect(answer.json.usage).toMatchObject({ input_tokens: COUNTED });
    expect(await receiptOf(answer.headers)).toMatchObject({ charge_micro: COUNTED * MICRO_PER_TOKEN, estimated: true });
  });
});

test.each(["decisions/refusing", "chat/refusing"])("refusals of %s are answered and billed", async (model) => {
  const answer = await caller.post("/v1/decisions", ask(model));
  expect(answer.status).toBe(200);
  expect((answer.json.answers as Json[]).map(({ type, name }) => [type, name])).toEqual([
    ["refusal", "refund"],
    ["refusal", "team"],
    ["refusal", "anger"],
  ]);
  const receipt = await receiptOf(answer.headers);
  expect(receipt.status).toBe("settled");
  expect(receipt.charge_micro).toBe((answer.json.usage as { input_tokens: number }).input_tokens * MICRO_PER_TOKEN);
  expect(receipt.charge_micro).toBeGreaterThan(0);
});

describe("an Idempotency-Key", () => {
  test.each(["decisions/decider", "chat/engine"])(
    "has %s answer once: the repeat gets the same bytes, uncharged",
    async (model) => {
      const headers = { "idempotency-key": `twice-${model}` };
      const first = await caller.post("/v1/decisions", ask(model), headers);
      const before = (await caller.get("/v1/credits")).json;
      const asked = decisions.simulator.log.total;
      const second = await caller.post("/v1/decisions", ask(model), headers);
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(second.headers.get("x-camino-label-mass")).toBe(first.headers.get("x-camino-label-mass"));
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expect(decisions.simulator.log.total).toBe(asked);
      expect((await caller.get("/v1/credits")).json).toEqual(before);
      const other = await caller.post("/v1/decisions", ask(model, { input: "another" }), headers);
      expect([other.status, other.error.code]).toEqual([409, "idempotency_key_reused"]);
      const other_shape = await caller.post("/v1/systemone", SHAPES.systemone.body(model), headers);
      expect([other_shape.status, other_shape.error.code]).toEqual([409, "idempotency_key_reused"]);
    },
  );
});

describe("a poor wallet", () => {
  test("pays for as many decisions at once as it can hold, and never goes below zero", async () => {
    const probe = await receiptOf((await caller.post("/v1/decisions", ask("decisions/slow"))).headers);
    const holds = 3;
    const credit = String((probe.hold_micro * holds + Math.floor(probe.hold_micro / 2)) / 1_000_000);
    const key = await decisions.gateway.newKey({ credit });
    const poor = new Caller(decisions.gateway, key.key);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => poor.post("/v1/decisions", ask("decisions/slow"))),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(holds).fill(200), ...Array<number>(12 - holds).fill(402)]);
    const { json } = await poor.get("/v1/credits");
    const spent = holds * probe.charge_micro;
    expect(json).toMatchObject({ balance_micro: Math.round(Number(credit) * 1_000_000) - spent, uncollected_micro: 0 });
  });
});

test("requests and tokens are counted in the account's usage", async () => {
  const key = await decisions.gateway.newKey();
  const client = new Caller(decisions.gateway, key.key);
  // The refused request comes first: nobody waits for its count, but later operations commit after it.
  await client.post("/v1/systemone", SHAPES.systemone.body("chat/judge"));
  await client.post("/v1/decisions", ask("chat/engine"));
  const { json } = await client.get("/v1/usage");
  expect(json.daily).toMatchObject({
    prompt_tokens: COUNTED,
    completion_tokens: 0,
    cost_micro: COUNTED * MICRO_PER_TOKEN,
    request_count: 2,
    success_count: 1,
  });
});

test("rate limits are in the headers of an answer", async () => {
  const { headers } = await caller.post("/v1/systemone", SHAPES.systemone.body("decisions/decider"));
  expect(Number(headers.get("x-ratelimit-limit-requests"))).toBeGreaterThan(0);
  expect(headers.get("x-ratelimit-remaining-requests")).toMatch(/^\d+$/);
});

test("the books are sound after all of it", async () => {
  const { json } = await caller.get("/v1/credits");
  expect(json.uncollected_micro).toBe(0);
});
