import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/moderations` (docs/api.md 4.16, docs/rulings.md 213), with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";

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
  const model = (upstream_model: string, input = "0") => ({ kind: "moderation", price: { input }, upstream_model });
  return JSON.stringify({
    catalog: "none",
    vendors: {
      acme: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
      other: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
    },
    models: {
      "acme/free": model("moderator-uncounted"),
      "acme/counting": model("moderator", "2.00"),
      "acme/priced": model("moderator-uncounted", "2.00"),
      "acme/short": model("moderator-short"),
      "acme/short-falls": { ...model("moderator-short"), fallbacks: ["other/free"] },
      "acme/500": model("moderator-500"),
      "acme/400": model("moderator-400"),
      "other/free": model("moderator-uncounted"),
      "acme/chats": { price: { input: 1, output: 1 }, upstream_model: "echo" },
    },
    aliases: { "omni-moderation-latest": "acme/free" },
  });
}

async function ask(body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}/v1/moderations`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, ...headers },
    body: JSON.stringify(body),
  });
  const parsed = (await answer.json()) as {
    model: string;
    results: { flagged: boolean }[];
    usage: { prompt_tokens: number; cost: number };
    error: { code: string; param: string | null; message: string };
  };
  return { status: answer.status, headers: answer.headers, body: parsed };
}

type Answer = Awaited<ReturnType<typeof ask>>;

const receiptOf = ({ headers }: Answer) => endedReceipt(gateway, key.key, headers.get("x-camino-request-id") ?? "");

describe("the official client", () => {
  test("has texts judged, each by itself, free of charge", async () => {
    const input = ["a calm text", "an insult", "kill"];
    const { data, response } = await openai.moderations.create({ model: "acme/free", input }).withResponse();
    expect(data.model).toBe("acme/free");
    expect(data.results.map(({ flagged }) => flagged)).toEqual([false, true, true]);
    expect(data.results[2]?.categories.violence).toBe(true);
    const receipt = await endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ endpoint: "moderations", charge_micro: 0, hold_micro: 0, estimated: false });
    expect((data as unknown as Answer["body"]).usage).toEqual({ prompt_tokens: 0, total_tokens: 0, cost: 0 } as never);
  });

  test("sends parts of one input, with an image by its address", async () => {
    const input = [
      { type: "text" as const, text: "kill" },
      { type: "image_url" as const, image_url: { url: "https://pictures.example/cat.png" } },
    ];
    const { results } = await openai.moderations.create({ model: "acme/free", input });
    expect(results.map(({ flagged }) => flagged)).toEqual([true]);
    expect(simulator.log.last?.body).toEqual({ model: "moderator-uncounted", input });
  });

  // BerriAI/litellm#4336: a request without a model was a 500.
  test("names no model, and gets the public API's own", async () => {
    const answer = await openai.moderations.create({ input: "an insult" });
    expect([answer.model, answer.results[0]?.flagged]).toEqual(["acme/free", true]);
    // BerriAI/litellm#6020: the gateway's own id was sent to the vendor.
    expect(simulator.log.last?.body).toMatchObject({ model: "moderator-uncounted" });
  });
});

describe("charges", () => {
  // decolua/9router#2064: other vendors of this shape count, and have a price.
  test.each([
    ["acme/counting", false],
    ["acme/priced", true],
  ])("%s is charged by its input, estimated: %p", async (model, estimated) => {
    const answer = await ask({ model, input: ["one text", "and another"] });
    const { prompt_tokens, cost } = answer.body.usage;
    expect(prompt_tokens).toBeWithin(3, 20);
    expect(await receiptOf(answer)).toMatchObject({ estimated, charge_micro: prompt_tokens * 2 });
    expect(cost).toBe((prompt_tokens * 2) / 1e6);
  });

  test("a repeat is answered from what was kept", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await ask({ model: "acme/counting", input: "x" }, headers);
    const again = await ask({ model: "acme/counting", input: "x" }, headers);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" } });
  });
});

describe("what fails", () => {
  test("too few judgments are no answer, and another vendor is asked", async () => {
    const short = await ask({ model: "acme/short", input: ["a", "b"] });
    expect([short.status, short.body.error.code]).toEqual([502, "provider_error"]);
    const fallen = await ask({ model: "acme/short-falls", input: ["a", "b"] });
    expect([fallen.status, fallen.body.model]).toEqual([200, "other/free"]);
  });

  // antiwork/gumroad#4709: a vendor's own bound comes through in its words.
  test("a vendor's refusal is the client's 400, in the vendor's words", async () => {
    const image = { type: "image_url", image_url: { url: "https://pictures.example/cat.png" } };
    const answer = await ask({ model: "acme/free", input: [image, image] });
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, "invalid_input", "input"]);
    expect(answer.body.error.message).toContain("exceeds maximum of 1");
  });

  test.each([
    ["acme/500", 502, "provider_error"],
    ["acme/400", 400, "invalid_input"],
    ["acme/chats", 400, "model_not_supported_on_endpoint"],
    ["acme/none", 404, "model_not_found"],
  ])("%s is a %d %s", async (model, status, code) => {
    const answer = await ask({ model, input: "x" });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  test.each([[5], [[]], [[5]], [[{ type: "audio" }]], [["a", { type: "text", text: "b" }]]])(
    "the input %p is refused by its place",
    async (input) => {
      const answer = await ask({ model: "acme/free", input });
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_input"]);
      expect(answer.body.error.param).toStartWith("input");
    },
  );
});
