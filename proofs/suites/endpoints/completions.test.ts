import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/completions` (docs/api.md 4.19, docs/rulings.md 215), with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const PROMPT = "Once upon a time";
/** Micro units of a token of input and of output. */
const [PER_INPUT, PER_OUTPUT] = [1, 4];

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
  const model = (upstream_model: string, completions = true) => ({
    ...{ price: { input: "1.00", output: "4.00" }, upstream_model, completions, capabilities: { thinking: false } },
  });
  const chat = { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY };
  return JSON.stringify({
    catalog: "none",
    vendors: {
      acme: chat,
      leaves: { ...chat, on_disconnect: "abort" },
      stalls: { ...chat, timeouts: { first_byte: "300ms", idle: "300ms" } },
      speaks: { protocol: "messages", base_url: simulator.base_url, api_key: VENDOR_KEY },
    },
    models: {
      "acme/echo": model("echo"),
      "acme/no-usage": model("echo@usage=none"),
      "acme/billions": model("echo@usage=huge"),
      "acme/fails": model("fail-500"),
      "acme/429": model("fail-429"),
      "acme/cut": model("cut-mid"),
      "acme/error": model("error-mid"),
      "acme/chats": model("echo", false),
      "acme/falls": { ...model("fail-500"), fallbacks: ["acme/chats", "acme/echo"] },
      "stalls/stalls": model("stall-mid"),
      "leaves/slow": model("slow"),
      "acme/slow": model("slow"),
      "speaks/echo": model("echo"),
    },
  });
}

interface Answer {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly choices: { readonly text: string; readonly index: number; readonly finish_reason: string | null }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly cost: number };
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
}

function post(body: object, init: RequestInit = {}): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${gateway.url}/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, ...headers },
    body: JSON.stringify({ model: "acme/echo", prompt: PROMPT, max_tokens: 40, ...body }),
    ...rest,
  });
}

async function ask(body: object, headers: Record<string, string> = {}) {
  const response = await post(body, { headers });
  return { status: response.status, response, body: (await response.json()) as Answer };
}

async function chunks(response: Response): Promise<{ readonly read: Answer[]; readonly is_done: boolean }> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: "));
  const read = frames.filter((frame) => frame !== "data: [DONE]").map((frame) => JSON.parse(frame.slice(6)) as Answer);
  return { read, is_done: frames.at(-1) === "data: [DONE]" };
}

const textOf = (read: readonly Answer[], index = 0) =>
  read
    .flatMap(({ choices = [] }) => choices.filter((choice) => choice.index === index))
    .map(({ text }) => text)
    .join("");
const receiptOf = (response: Response) =>
  endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");

describe("the official client", () => {
  test("gets a text, charged exactly, by the vendor's /completions", async () => {
    const { data, response } = await openai.completions
      .create({ model: "acme/echo", prompt: PROMPT, max_tokens: 40 })
      .withResponse();
    expect([data.object, data.model, data.choices[0]?.text]).toEqual([
      ...["text_completion", "acme/echo", `Simulated answer: ${PROMPT}`],
    ]);
    const { prompt_tokens = 0, completion_tokens = 0 } = data.usage ?? {};
    const charge_micro = prompt_tokens * PER_INPUT + completion_tokens * PER_OUTPUT;
    expect(await receiptOf(response)).toMatchObject({ endpoint: "completions", charge_micro, estimated: false });
    expect((data.usage as unknown as Answer["usage"])?.cost).toBe(charge_micro / 1e6);
    expect(simulator.log.last?.body).toEqual({ model: "echo", prompt: PROMPT, max_tokens: 40 });
  });

  // raullenchai/Rapid-MLX#461: each chunk had an id of its own.
  test("gets a stream with one id, and a usage only where it asks for one", async () => {
    const asked = { model: "acme/echo", prompt: PROMPT, max_tokens: 40, stream: true } as const;
    const told = await openai.completions.create({ ...asked, stream_options: { include_usage: true } });
    const read = await Array.fromAsync(told);
    expect(new Set(read.map(({ id }) => id)).size).toBe(1);
    expect(read.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe(`Simulated answer: ${PROMPT}`);
    const { prompt_tokens = 0, completion_tokens = 0 } = read.at(-1)?.usage ?? {};
    const cost = (prompt_tokens * PER_INPUT + completion_tokens * PER_OUTPUT) / 1e6;
    expect((read.at(-1)?.usage as unknown as Answer["usage"])?.cost).toBe(cost);
    const plain = await Array.fromAsync(await openai.completions.create(asked));
    expect(plain.every(({ usage }) => usage == null)).toBe(true);
    expect(simulator.log.last?.body).toMatchObject({ stream_options: { include_usage: true } });
  });
});

describe("what is asked for goes to the vendor as it came", () => {
  // BerriAI/litellm#17118: tokens were refused. #18011: lists of them as well.
  test.each([
    [["a", "b"], 2],
    [[151644, 8948], 1],
    [[[1, 2], [3]], 2],
  ])("the prompt %j has %d choices", async (prompt, count) => {
    const { body } = await ask({ prompt });
    expect(body.choices).toHaveLength(count);
    expect(simulator.log.last?.body).toMatchObject({ prompt });
  });

  // stdapi-ai/stdapi.ai#259: `echo` was dropped.
  test("echo and suffix", async () => {
    const { body } = await ask({ echo: true, suffix: " The end." });
    expect(body.choices[0]?.text).toBe(`${PROMPT}Simulated answer: ${PROMPT}`);
    expect(simulator.log.last?.body).toMatchObject({ echo: true, suffix: " The end." });
  });

  // vllm-project/vllm#15119: a stream with its prompt.
  test("echo in a stream", async () => {
    const { read } = await chunks(await post({ echo: true, stream: true, prompt: ["a", "b"], n: 2 }));
    expect([0, 1, 2, 3].map((index) => textOf(read, index)[0])).toEqual(["a", "a", "b", "b"]);
  });

  test("a request without a cap has the public API's own, and is held for it", async () => {
    const { response, body } = await ask({ max_tokens: null, prompt: "long ".repeat(40) });
    expect(simulator.log.last?.body).toMatchObject({ max_tokens: 16 });
    expect(body.choices[0]?.finish_reason).toBe("length");
    expect(body.usage?.completion_tokens).toBe(16);
    expect((await receiptOf(response)).hold_micro).toBeLessThan(16 * PER_OUTPUT + 300);
  });

  test("texts that are made and not shown are held for and charged", async () => {
    const { response, body } = await ask({ n: 1, best_of: 3 });
    expect(body.choices).toHaveLength(1);
    const { prompt_tokens = 0, completion_tokens = 0 } = body.usage ?? {};
    const receipt = await receiptOf(response);
    expect(receipt.charge_micro).toBe(prompt_tokens * PER_INPUT + completion_tokens * PER_OUTPUT);
    expect(receipt.hold_micro).toBeGreaterThanOrEqual(3 * 40 * PER_OUTPUT);
  });

  test("a repeat is answered from what was kept, and tags are on the receipt", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await ask({}, headers);
    const again = await ask({}, headers);
    expect([again.body, again.response.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect(await receiptOf(first.response)).toMatchObject({ tags: { team: "a" } });
  });
});

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(["acme/no-usage", "acme/billions"])("%s is charged by an estimate within the hold", async (model) => {
    const response = await post({ model, stream, echo: true });
    await response.text();
    const receipt = await receiptOf(response);
    expect(receipt.estimated).toBe(true);
    expect(receipt.charge_micro).toBeWithin(1, receipt.hold_micro + 1);
  });

  test.each([
    ["acme/fails", 502, "provider_error"],
    ["acme/429", 429, "provider_rate_limited"],
    ["acme/chats", 400, "model_not_supported_on_endpoint"],
    ["acme/none", 404, "model_not_found"],
    ["speaks/echo", 400, "invalid_input"],
  ])("%s is a %d %s", async (model, status, code) => {
    const answer = await ask({ model, stream });
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test("a fallback that takes messages alone is passed over", async () => {
    const response = await post({ model: "acme/falls", stream });
    await response.text();
    expect(await receiptOf(response)).toMatchObject({ model: "acme/echo" });
  });
});

test.each([
  ["acme/cut", "provider_error"],
  ["acme/error", "model_unavailable"],
  ["stalls/stalls", "provider_error"],
] as const)("%s breaks off in the stream with an error, and what came is charged", async (model, code) => {
  const response = await post({ model, stream: true });
  const { read, is_done } = await chunks(response);
  expect([read.at(-1)?.error?.code, is_done]).toEqual([code, false]);
  const receipt = await receiptOf(response);
  expect(receipt.charge_micro).toBeWithin(1, receipt.hold_micro + 1);
});

test.each(["acme/slow", "leaves/slow"])("who leaves %s pays for what came", async (model) => {
  const leaving = new AbortController();
  const response = await post({ model, stream: true, max_tokens: 200 }, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  const receipt = await receiptOf(response);
  expect(receipt.charge_micro).toBeWithin(1, receipt.hold_micro + 1);
});

test.each([
  [{ prompt: undefined }, "prompt"],
  [{ prompt: [] }, "prompt"],
  [{ prompt: 5 }, "prompt"],
  [{ prompt: ["a", 5] }, "prompt"],
  [{ prompt: Array.from({ length: 129 }, () => "a") }, "prompt"],
  [{ max_tokens: -1 }, "max_tokens"],
  [{ n: 0 }, "n"],
  [{ n: 3, best_of: 2 }, "best_of"],
  [{ echo: "yes" }, "echo"],
  [{ logprobs: true }, "logprobs"],
])("%j is refused by its place", async (body, place) => {
  const answer = await ask(body);
  expect([answer.status, answer.body.error?.code]).toEqual([400, "invalid_input"]);
  expect(answer.body.error?.param ?? "").toStartWith(place);
});
