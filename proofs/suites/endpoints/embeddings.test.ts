import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { vectorOf } from "../../../simulator/embeddings/embedding.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/embeddings` (docs/api.md 4.12, docs/rulings.md 211): by every protocol of vendors, with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const WAYS = ["chat", "gemini", "titan", "cohere"] as const;
type Way = (typeof WAYS)[number];
/** Titan takes a text at a time. */
const MANY_WAYS = WAYS.filter((way) => way !== "titan");
const UPSTREAM: Readonly<Record<Way, (model: string) => string>> = {
  chat: (model) => model,
  gemini: (model) => model,
  titan: (model) => `amazon.titan-embed-text-v2:0.${model}`,
  cohere: (model) => `us.cohere.embed-v4:0.${model}`,
};
/** Micro units per token, by the models' price. */
const MICRO_PER_TOKEN = 2;

let simulator: Simulator;
let gateway: Gateway;
let key: TestKey;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  gateway = await startGateway({ config: configuration() });
  key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
  openai = new OpenAI({ apiKey: key.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

function configuration(): string {
  const bedrock = { protocol: "bedrock-converse", base_url: simulator.url, api_key: VENDOR_KEY };
  const model = (upstream_model: string) => ({ kind: "embedding", price: { input: "2.00" }, upstream_model });
  const odd = ["floats", "reversed", "short", "empty", "no-usage", "500", "400", "429", "cut", "truncated"];
  return JSON.stringify({
    catalog: "none",
    vendors: {
      chat: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
      gemini: { protocol: "gemini", base_url: `${simulator.url}/v1beta`, api_key: VENDOR_KEY },
      titan: bedrock,
      cohere: bedrock,
    },
    models: {
      ...Object.fromEntries(WAYS.map((way) => [`${way}/embed`, model(UPSTREAM[way]("embed"))])),
      ...Object.fromEntries(odd.map((name) => [`chat/${name}`, model(`embed-${name}`)])),
      "gemini/no-usage": model("embed-no-usage"),
      "chat/billions": model("embed@usage=huge"),
      // The context bounds each input, and not the request.
      "chat/narrow": { ...model("embed"), context_length: 8 },
      "chat/zero": model("embed@usage=zero"),
      "chat/falls": { ...model("embed-500"), fallbacks: ["gemini/embed"] },
      "chat/short-falls": { ...model("embed-short"), fallbacks: ["cohere/embed"] },
      "chat/chats": { price: { input: 1, output: 1 }, upstream_model: "echo" },
    },
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data: readonly { readonly index: number; readonly embedding: number[] | string }[];
    readonly model: string;
    readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number; readonly cost: number };
    readonly error: { readonly message: string; readonly code: string; readonly param: string | null };
  };
}

async function ask(body: object | string, headers: Record<string, string> = {}, by = key): Promise<Answer> {
  const answer = await fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer["body"] };
}

function receiptOf(answer: Answer) {
  return endedReceipt(gateway, key.key, answer.headers.get("x-camino-request-id") ?? "");
}

const TEXTS = ["one small step", "another step, for mankind", "é ü 漢字"];
/** The simulator's count: a token for four bytes, each text by itself. */
const tokensOf = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);

describe.each(WAYS)("by %s", (way) => {
  test("the official client gets a vector for a text, which is charged exactly", async () => {
    const { data: answer, response } = await openai.embeddings
      .create({ model: `${way}/embed`, input: TEXTS[0] as string })
      .withResponse();
    const tokens = tokensOf(TEXTS.slice(0, 1));
    expect(answer.model).toBe(`${way}/embed`);
    expect(answer.data).toHaveLength(1);
    expect(answer.data[0]?.embedding).toEqual(vectorOf(TEXTS[0] as string, 64));
    expect(answer.usage).toEqual({
      prompt_tokens: tokens,
      total_tokens: tokens,
      cost: (tokens * MICRO_PER_TOKEN) / 1e6,
    } as never);
    const receipt = await endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({
      endpoint: "embeddings",
      model: `${way}/embed`,
      status: "settled",
      estimated: false,
    });
    expect(receipt.charge_micro).toBe(tokens * MICRO_PER_TOKEN);
  });

  test("numbers and base64 are the same vectors, of the length that was asked for", async () => {
    const common = { model: `${way}/embed`, input: [TEXTS[2]], dimensions: 16 };
    const numbers = await ask({ ...common, encoding_format: "float" });
    const coded = await ask({ ...common, encoding_format: "base64" });
    const [one] = numbers.body.data;
    const [other] = coded.body.data;
    expect(one?.embedding).toEqual(vectorOf(TEXTS[2] as string, 16));
    const bytes = Buffer.from(other?.embedding as string, "base64");
    expect(Array.from({ length: 16 }, (_, at) => bytes.readFloatLE(at * 4))).toEqual(one?.embedding as number[]);
  });
});

test.each(MANY_WAYS)("by %s many texts have their vectors in their order", async (way) => {
  const answer = await openai.embeddings.create({ model: `${way}/embed`, input: TEXTS });
  expect(answer.data.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(answer.data.map(({ embedding }) => embedding)).toEqual(TEXTS.map((text) => vectorOf(text, 64)));
  expect(answer.usage.prompt_tokens).toBe(tokensOf(TEXTS));
});

/** A batch whose answer comes in many pieces: a megabyte of base64. */
const BATCH = { input: Array.from({ length: 200 }, (_, at) => `text ${at}`), dimensions: 1024 };

test.each(["chat/embed", "chat/reversed", "chat/floats"])(
  "by %s a large batch has its vectors in their order, and is charged exactly",
  async (model) => {
    const { data: answer, response } = await openai.embeddings.create({ ...BATCH, model }).withResponse();
    const tokens = tokensOf(BATCH.input);
    expect(Object.keys(answer)).toEqual(["object", "data", "model", "usage"]);
    expect(answer.model).toBe(model);
    expect(answer.data.map(({ index }) => index)).toEqual(BATCH.input.map((_, index) => index));
    const wanted = BATCH.input.map((text) => vectorOf(text, BATCH.dimensions));
    expect(answer.data.map(({ embedding }) => embedding)).toEqual(wanted);
    expect(answer.usage).toMatchObject({ prompt_tokens: tokens, cost: (tokens * MICRO_PER_TOKEN) / 1e6 });
    const receipt = await endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
    expect(receipt.charge_micro).toBe(tokens * MICRO_PER_TOKEN);
  },
);

test("a large batch is answered again from what was kept", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const body = { ...BATCH, model: "chat/embed", encoding_format: "base64" };
  const first = await ask(body, headers);
  const again = await ask(body, headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

describe("what other gateways and vendors got wrong", () => {
  // BerriAI/litellm#42426: numbers in place of the base64 that SDKs ask for unasked, read as a quarter of the vector.
  test("a vendor sends numbers, and the client gets the base64 it asked for", async () => {
    const answer = await openai.embeddings.create({ model: "chat/floats", input: TEXTS });
    expect(answer.data.map(({ embedding }) => embedding)).toEqual(TEXTS.map((text) => vectorOf(text, 64)));
  });

  // mem0ai/mem0#4057 and BaseIntelligence/bounty-challenge#15779: a 200 with no vectors, or with too few.
  test.each(["chat/empty", "chat/short", "chat/cut", "chat/truncated"])(
    "%s is no answer, and is not charged",
    async (model) => {
      const answer = await ask({ model, input: TEXTS });
      expect([answer.status, answer.body.error.code]).toEqual([502, "provider_error"]);
      expect(await receiptOf(answer)).toMatchObject({ charge_micro: 0 });
    },
  );

  test("vectors in another order get back into that of their inputs", async () => {
    const answer = await openai.embeddings.create({ model: "chat/reversed", input: TEXTS });
    expect(answer.data.map(({ embedding }) => embedding)).toEqual(TEXTS.map((text) => vectorOf(text, 64)));
  });

  // langchain-ai/langchain#30574, huggingface/text-embeddings-inference#273: LangChain sends tokens.
  test.each([
    [[[15339, 1917]], 2],
    [[15339, 1917, 5], 3],
    [[[1], [2, 3]], 3],
  ])("tokens %p are taken and counted", async (input, tokens) => {
    const answer = await ask({ model: "chat/embed", input });
    expect([answer.status, answer.body.usage.prompt_tokens]).toEqual([200, tokens as number]);
    const elsewhere = await ask({ model: "gemini/embed", input });
    expect([elsewhere.status, elsewhere.body.error.param]).toEqual([400, "input"]);
  });

  // openai/openai-python#576: an empty text among many, of which vendors say only that the input is wrong.
  test.each([
    [["a", ""], "input[1]"],
    ["", "input"],
    [[], "input"],
    [[[1], []], "input[1]"],
    [[["Hello"]], "input"],
    [["a", 1], "input"],
    [{ a: 1 }, "input"],
    [null, "input"],
    [[-1], "input"],
    [[1.5], "input"],
  ])("the input %p is refused by its place", async (input, place) => {
    const answer = await ask({ model: "chat/embed", input });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.error.param).toStartWith(place);
  });
});

describe("charges", () => {
  // QuantumNous/new-api#2061: a vendor's batch was not counted.
  test.each([
    ["chat/no-usage", true],
    ["gemini/no-usage", true],
    ["chat/billions", true],
    ["chat/zero", true],
    ["chat/embed", false],
    ["chat/narrow", false],
  ])("%s is charged, estimated: %p", async (model, estimated) => {
    const answer = await ask({ model, input: TEXTS });
    const receipt = await receiptOf(answer);
    const { prompt_tokens, cost } = answer.body.usage;
    expect(prompt_tokens).toBeGreaterThan(5);
    expect(prompt_tokens).toBeLessThan(60);
    expect(receipt).toMatchObject({ estimated, charge_micro: prompt_tokens * MICRO_PER_TOKEN });
    expect(cost).toBe((prompt_tokens * MICRO_PER_TOKEN) / 1e6);
  });

  test("tokens without a usage are counted exactly", async () => {
    const answer = await ask({ model: "chat/no-usage", input: [[1, 2, 3], [4]] });
    expect(answer.body.usage.prompt_tokens).toBe(4);
  });

  test.each([
    ["chat/500", 502, "provider_error"],
    ["chat/429", 429, "provider_rate_limited"],
    ["chat/400", 400, "invalid_input"],
  ])("%s is a %d and not charged", async (model, status, code) => {
    const answer = await ask({ model, input: "x" });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(await receiptOf(answer)).toMatchObject({ charge_micro: 0 });
  });

  test.each([
    ["chat/falls", "gemini/embed"],
    ["chat/short-falls", "cohere/embed"],
  ])("%s falls back, and is charged once", async (model, by) => {
    const answer = await ask({ model, input: TEXTS });
    expect(answer.body.model).toBe(by);
    const receipt = await receiptOf(answer);
    expect(receipt.attempts).toHaveLength(2);
    expect(receipt.charge_micro).toBe(tokensOf(TEXTS) * MICRO_PER_TOKEN);
  });

  test("the hold is what the input can cost, and an empty wallet is a 402", async () => {
    const poor = await gateway.newKey({ credit: "0.000010" });
    const answer = await ask({ model: "chat/embed", input: "a text of some length" }, {}, poor);
    expect([answer.status, answer.body.error.code]).toEqual([402, "insufficient_balance"]);
    const receipt = await receiptOf(await ask({ model: "chat/embed", input: TEXTS[0] as string }));
    expect(receipt.hold_micro).toBe((Buffer.byteLength(TEXTS[0] as string) + 8) * MICRO_PER_TOKEN);
  });

  test("a repeat with its key is answered from what was kept, with its tags, and charged once", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const body = { model: "chat/embed", input: TEXTS, encoding_format: "base64" };
    const first = await ask(body, headers);
    const again = await ask(body, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" } });
    const other = await ask({ ...body, input: "another" }, headers);
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
  });
});

describe("requests", () => {
  test("a model of another kind is refused at either endpoint, in a sentence that says where it is at home", async () => {
    const chat = await ask({ model: "chat/chats", input: "x" });
    expect([chat.status, chat.body.error.code]).toEqual([400, "model_not_supported_on_endpoint"]);
    expect(chat.body.error.message).toContain("/v1/chat/completions, /v1/responses, /v1/messages or generateContent");
    const call = openai.chat.completions.create({ model: "chat/embed", messages: [{ role: "user", content: "x" }] });
    const refused = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(String(refused)).toContain("is an embedding model: use /v1/embeddings.");
  });

  test("models are listed by kind, and chat's list stays chat's", async () => {
    const ids = async (query: string): Promise<string[]> => {
      const answer = await fetch(`${gateway.url}/v1/models${query}`, {
        headers: { authorization: `Bearer ${key.key}` },
      });
      return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect(await ids("")).toEqual(["chat/chats"]);
    expect(await ids("?kind=embedding")).toContain("gemini/embed");
    expect(await ids("?kind=all")).toContain("titan/embed");
  });

  test("more inputs, tokens or bytes than allowed are refused with the bound", async () => {
    const many = await ask({ model: "chat/embed", input: new Array(2049).fill("a") });
    expect([many.status, many.body.error.message]).toEqual([400, "'input' has 2049 inputs; allowed: at most 2048."]);
    const tokens = await ask({ model: "chat/embed", input: new Array(300_001).fill(7) });
    expect([tokens.status, tokens.body.error.param]).toEqual([400, "input"]);
    expect(tokens.body.error.message).toContain("300000");
    const bytes = await ask({ model: "chat/embed", input: "a".repeat(8 * 2 ** 20) });
    expect([bytes.status, bytes.body.error.code]).toEqual([413, "request_too_large"]);
  });

  test("a text of many bytes and fewer tokens is taken, whichever thread reads it", async () => {
    const input = new Array(700).fill("word ".repeat(150).trim());
    const answer = await ask({ model: "chat/embed", input });
    expect([answer.status, answer.body.data.length]).toEqual([200, 700]);
    expect(answer.body.usage.prompt_tokens).toBe(tokensOf(input));
    const by_gemini = await ask({ model: "cohere/embed", input: input.slice(0, 90).map((text) => text.repeat(9)) });
    expect([by_gemini.status, by_gemini.body.data.length]).toEqual([200, 90]);
  });

  test("what a vendor does not take is named, or refused where the answer would be another", async () => {
    const named = await ask({ model: "chat/embed", input: "x", user: "u-1" });
    expect(named.headers.get("x-camino-ignored")).toBe("user");
    expect(simulator.log.last?.body).not.toHaveProperty("user");
    const elsewhere = await ask({ model: "gemini/embed", input: "x", user: "u-1", input_type: "search_query" });
    expect(elsewhere.headers.get("x-camino-ignored")).toBe("user, input_type");
    const titan = await ask({ model: "titan/embed", input: ["a", "b"] });
    expect([titan.status, titan.body.error.param]).toEqual([400, "input"]);
  });

  test("a purpose goes to the vendor that takes one", async () => {
    await ask({ model: "cohere/embed", input: "x", input_type: "search_query" });
    expect(simulator.log.last?.body).toMatchObject({ input_type: "search_query", texts: ["x"] });
  });
});
