import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type AskedPictures, pictureOf, pictureTokens } from "../../../simulator/images/picture.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/images/generations` (docs/api.md 4.17, docs/rulings.md 223): by both protocols of vendors, with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const PROMPT = "A lighthouse by the sea, été compris 🚆.";
const INPUT_TOKENS = Math.ceil(Buffer.byteLength(PROMPT) / 4);
/** Micro units for a token of input and of an image. */
const [PER_INPUT, PER_IMAGE_TOKEN] = [5, 40];
const TABLE = { default: "0.04", "1024x1024/high": "0.16", "1024x1536/low": "0.02", "1792x1024/hd": "0.12" };

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

// BerriAI/litellm#31142: generated images were charged at the price of text.
const BY_TOKENS = { input: "5.00", output: "10.00", input_image: "10.00", output_image: "40.00" };

function configuration(): string {
  const model = (upstream_model: string, price: object = { images: TABLE }) => ({
    ...{ kind: "image", price, upstream_model },
    max_completion_tokens: 8000,
  });
  const odd = ["none", "500", "400", "429", "slow"];
  const chat = { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY };
  return JSON.stringify({
    catalog: "none",
    vendors: {
      chat,
      leaves: { ...chat, on_disconnect: "abort" },
      stalls: { ...chat, timeouts: { idle: "300ms" } },
      gemini: { protocol: "gemini", base_url: `${simulator.url}/v1beta`, api_key: VENDOR_KEY },
    },
    models: {
      "chat/draw": model("draw"),
      "chat/plain": model("draw-plain"),
      "chat/tokens": model("draw-tokens", BY_TOKENS),
      "chat/free": model("draw-no-usage", { input: 0, output: 0 }),
      "chat/no-usage": model("draw-no-usage", BY_TOKENS),
      "chat/billions": model("draw-tokens@usage=billions", BY_TOKENS),
      "chat/zero": model("draw-tokens@usage=zero", BY_TOKENS),
      "chat/large": model("draw@bytes=3000000"),
      "gemini/tokens": model("draw-tokens", BY_TOKENS),
      "gemini/images": model("draw", { images: { default: "0.04", "1248x832/low": "0.01" } }),
      "gemini/none": model("draw-none", BY_TOKENS),
      "gemini/chats": {
        ...{ price: BY_TOKENS, upstream_model: "draw-tokens", output_modalities: ["text", "image"] },
        ...{ capabilities: { thinking: false }, max_completion_tokens: 8000 },
      },
      ...Object.fromEntries(odd.map((name) => [`chat/${name}`, model(`draw-${name}`)])),
      "chat/cut": model("draw-cut", BY_TOKENS),
      "chat/cut-images": model("draw-cut"),
      "stalls/stalls": model("draw-stalls"),
      "leaves/slow": model("draw-slow", BY_TOKENS),
      "chat/falls": { ...model("draw-503"), fallbacks: ["chat/draw"] },
      "chat/none-falls": { ...model("draw-none"), fallbacks: ["gemini/tokens"] },
      "chat/chats": {
        ...{ price: { input: 1, output: 1 }, upstream_model: "echo", output_modalities: ["text", "image"] },
        capabilities: { thinking: false },
      },
      "chat/texts": { price: { input: 1, output: 1 }, upstream_model: "echo", capabilities: { thinking: false } },
    },
  });
}

const picture = (asked: Partial<AskedPictures> = {}): AskedPictures => ({
  ...{ text: PROMPT, width: 1024, height: 1024, quality: "low", count: 1, partial_images: 0 },
  ...asked,
});
const png = (asked: Partial<AskedPictures> = {}, nth = 0, share = 1) =>
  pictureOf(picture(asked), nth, share).toString("base64");

function post(body: object, init: RequestInit = {}, by = key): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${gateway.url}/v1/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: JSON.stringify({ prompt: PROMPT, ...body }),
    ...rest,
  });
}

interface Refusal {
  readonly error: { readonly message: string; readonly code: string; readonly param: string | null };
}

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
}

interface Answer {
  readonly data: readonly { readonly b64_json?: string; readonly url?: string }[];
  readonly size?: string;
  readonly output_format?: string;
  readonly usage: Usage;
}

async function drawn(body: object): Promise<{ answer: Answer; response: Response }> {
  const response = await post(body);
  expect(response.status).toBe(200);
  return { answer: (await response.json()) as Answer, response };
}

async function refused(body: object): Promise<{ status: number; error: Refusal["error"]; response: Response }> {
  const response = await post(body);
  return { status: response.status, error: ((await response.json()) as Refusal).error, response };
}

function receiptOf(response: Response) {
  return endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
}

interface ImageEvent {
  readonly type: string;
  readonly b64_json?: string;
  readonly usage?: Usage;
  readonly error?: Refusal["error"];
}

async function events(response: Response): Promise<ImageEvent[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.replace(/^event: .*\ndata: /, "")) as ImageEvent);
}

const tokensMicro = (tokens: number) => INPUT_TOKENS * PER_INPUT + tokens * PER_IMAGE_TOKEN;

describe("an image", () => {
  test.each([
    ["chat/draw", {}, 40_000],
    ["chat/draw", { n: 3, size: "1024x1536", quality: "low" }, 60_000],
    ["chat/draw", { size: "1024x1024", quality: "high" }, 160_000],
    // BerriAI/litellm#10335: what was left to the vendor cost nothing.
    ["chat/draw", { size: "auto", quality: "high" }, 160_000],
    ["chat/plain", { size: "1792x1024", quality: "hd" }, 120_000],
    ["chat/plain", { size: "1792x1024" }, 40_000],
    ["chat/free", {}, 0],
    ["chat/tokens", { n: 2, quality: "medium" }, tokensMicro(2 * 1056)],
    ["gemini/tokens", {}, tokensMicro(1056)],
    ["gemini/images", { size: "1536x1024" }, 40_000],
  ])("%s %p is charged exactly, with its cost beside it", async (model, body, charge_micro) => {
    const { answer, response } = await drawn({ model, ...body });
    expect(answer.usage.cost).toBe(charge_micro / 1e6);
    const receipt = await receiptOf(response);
    expect(receipt).toMatchObject({ endpoint: "images.generations", model, charge_micro, estimated: false });
    expect(receipt.charge_micro).toBeLessThanOrEqual(receipt.hold_micro);
    const line = (await gateway.admin("GET", `/requests/${receipt.id}`)) as { lines: { amount_micro: number }[] };
    expect(line.lines.reduce((sum, { amount_micro }) => sum + amount_micro, 0)).toBe(charge_micro);
  });

  test("the official client gets it as its vendor drew it, and it opens", async () => {
    const answer = await openai.images.generate({ model: "chat/tokens", prompt: PROMPT, n: 2, quality: "high" });
    expect(answer.data?.map(({ b64_json }) => b64_json)).toEqual([
      png({ quality: "high" }, 0),
      png({ quality: "high" }, 1),
    ]);
    expect(answer).toMatchObject({ size: "1024x1024", quality: "high", output_format: "png" });
    const file = Buffer.from(answer.data?.[0]?.b64_json ?? "", "base64");
    expect(file.toString("latin1", 1, 4)).toBe("PNG");
    expect(file.readUInt32BE(16)).toBe(1024);
  });

  test("Gemini's image is the one that it did not draw while it thought, and its size is that of the file", async () => {
    const { answer } = await drawn({ model: "gemini/tokens", size: "1536x1024" });
    expect(answer.data).toEqual([{ b64_json: png({ width: 1248, height: 832, quality: "medium" }) }]);
    expect(answer).toMatchObject({ size: "1248x832", output_format: "png" });
  });

  test("a chat model of Gemini's that makes images draws here, too", async () => {
    const { answer } = await drawn({ model: "gemini/chats" });
    expect(answer.data).toHaveLength(1);
    expect(simulator.log.last?.body).not.toHaveProperty("generationConfig.maxOutputTokens");
  });

  test("images on a line of their own, by what the vendor says of them", async () => {
    const { response } = await drawn({ model: "chat/draw", n: 2, quality: "high" });
    const receipt = await receiptOf(response);
    expect(receipt.usage).toMatchObject({ units: { images: 2 } });
    expect(receipt).toMatchObject({ price: { variant: "image=1024x1024/high", units_micro: { images: 160_000 } } });
    expect(await gateway.admin("GET", `/requests/${receipt.id}`)).toMatchObject({
      lines: [{ class: "images", unit: "image", count: 2, amount_micro: 320_000 }],
    });
  });

  test("what a vendor keeps by its address comes as that", async () => {
    const { answer } = await drawn({ model: "chat/plain", response_format: "url" });
    expect(answer.data[0]?.url).toStartWith("https://");
  });
});

describe("a stream", () => {
  // stdapi-ai/stdapi.ai#84: images on their way were asked for and never came.
  test.each(["chat/draw", "chat/tokens"])(
    "of %s has images on their way, and ends with what it cost",
    async (model) => {
      const stream = await openai.images.generate({ model, prompt: PROMPT, stream: true, partial_images: 2 });
      const read: OpenAI.Images.ImageGenStreamEvent[] = [];
      for await (const event of stream) read.push(event);
      expect(read.map(({ type }) => type.replace("image_generation.", ""))).toEqual([
        "partial_image",
        "partial_image",
        "completed",
      ]);
      const asked = { partial_images: 2 };
      expect(read.map(({ b64_json }) => b64_json)).toEqual([png(asked, 0, 1 / 3), png(asked, 0, 2 / 3), png(asked)]);
      const charge_micro = model === "chat/draw" ? 40_000 : tokensMicro(pictureTokens(picture(asked)));
      expect(read.at(-1)).toMatchObject({ usage: { cost: charge_micro / 1e6 } });
    },
  );

  test("of several images tells the cost with the last", async () => {
    const response = await post({ model: "chat/draw", n: 3, stream: true });
    const read = await events(response);
    expect(read.map(({ type, usage }) => [type, usage?.cost])).toEqual([
      ["image_generation.completed", undefined],
      ["image_generation.completed", undefined],
      ["image_generation.completed", 0.12],
    ]);
    expect(await receiptOf(response)).toMatchObject({ charge_micro: 120_000, usage: { units: { images: 3 } } });
  });

  test("of Gemini's is its one image, and what it has no place for is named", async () => {
    const response = await post({ model: "gemini/tokens", stream: true, partial_images: 2, quality: "high" });
    const read = await events(response);
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({
      ...{ type: "image_generation.completed", b64_json: png({ quality: "medium" }) },
      usage: { cost: tokensMicro(1056) / 1e6 },
    });
    expect(response.headers.get("x-camino-ignored")).toBe("partial_images, quality");
  });

  test.each([{ stream: true }, { stream: false }])("an image of 4 MB in base64 comes whole: %p", async (how) => {
    const response = await post({ model: "chat/large", ...how });
    const text = await response.text();
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(text).toContain(pictureOf(picture(), 0, 1, 3_000_000).toString("base64"));
  });
});

describe("charges", () => {
  test.each([
    ["chat/no-usage", 1056],
    ["chat/billions", 1056],
    ["chat/zero", 1056],
  ])("%s is charged by what such an image usually is, and that is an estimate", async (model) => {
    const { response } = await drawn({ model, quality: "medium", size: "1024x1024" });
    const receipt = await receiptOf(response);
    expect(receipt.estimated).toBe(true);
    expect(receipt.charge_micro).toBeGreaterThanOrEqual(1056 * 10);
    expect(receipt.charge_micro).toBeLessThanOrEqual(receipt.hold_micro);
  });

  test.each([
    ["chat/500", 502, "provider_error"],
    ["chat/429", 429, "provider_rate_limited"],
    ["chat/400", 400, "invalid_input"],
    // experientiallabs/experiential#846: tokens were charged where no image came.
    ["chat/none", 502, "provider_error"],
    // minimaxir/gemimg#5: an answer that ends in NO_IMAGE.
    ["gemini/none", 502, "provider_error"],
  ])("%s is a %d and not charged, streamed or not", async (model, status, code) => {
    for (const stream of [false, true]) {
      const answer = await refused({ model, stream });
      expect([answer.status, answer.error.code]).toEqual([status, code]);
      expect(await receiptOf(answer.response)).toMatchObject({ charge_micro: 0 });
    }
  });

  test.each([
    ["chat/falls", "chat/draw", 40_000],
    ["chat/none-falls", "gemini/tokens", tokensMicro(1056)],
  ])("%s falls back, and is charged once by who drew", async (model, by, charge_micro) => {
    const { response } = await drawn({ model });
    expect(await receiptOf(response)).toMatchObject({ model: by, charge_micro });
  });

  test.each([
    ["chat/cut", 100 * PER_IMAGE_TOKEN],
    ["chat/cut-images", 0],
    ["stalls/stalls", 0],
  ])("a stream of %s that breaks off says so, and costs what came at least", async (model, least_micro) => {
    const response = await post({ model, stream: true, partial_images: 2 });
    const read = await events(response);
    expect(read.map(({ type }) => type)).toEqual(["image_generation.partial_image", "error"]);
    const receipt = await receiptOf(response);
    expect(receipt.error).not.toBeNull();
    expect(receipt.charge_micro).toBeWithin(least_micro, receipt.hold_micro);
  });

  test("who leaves pays for what the vendor drew, which is read to its end", async () => {
    const leaving = new AbortController();
    const response = await post({ model: "chat/slow", stream: true, partial_images: 1 }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    expect(await receiptOf(response)).toMatchObject({ charge_micro: 40_000 });
  });

  test("who leaves a vendor that is left as well pays for what came", async () => {
    const leaving = new AbortController();
    const response = await post({ model: "leaves/slow", stream: true, partial_images: 2 }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    const receipt = await receiptOf(response);
    expect(receipt.charge_micro).toBeWithin(100 * PER_IMAGE_TOKEN, tokensMicro(8000));
  });

  test.each([
    [{ n: 2 }, 2 * 160_000],
    [{ quality: "low" }, 40_000],
    [{ size: "1024x1536", quality: "low" }, 20_000],
    [{ size: "1024x1024", quality: "auto" }, 160_000],
  ])("%p is held for at the dearest that it may be", async (body, hold_micro) => {
    const { response } = await drawn({ model: "chat/draw", ...body });
    expect((await receiptOf(response)).hold_micro).toBe(hold_micro);
  });

  test("an empty wallet is a 402, and by tokens all that can be drawn is held", async () => {
    const poor = await gateway.newKey({ credit: "0.10" });
    const response = await post({ model: "chat/draw" }, {}, poor);
    expect([response.status, ((await response.json()) as Refusal).error.code]).toEqual([402, "insufficient_balance"]);
    const by_tokens = await drawn({ model: "chat/tokens", n: 2 });
    expect((await receiptOf(by_tokens.response)).hold_micro).toBe(
      (Buffer.byteLength(PROMPT) + 16) * PER_INPUT + 2 * 8000 * PER_IMAGE_TOKEN,
    );
  });

  test("a repeat with its key is the same image, charged once", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await post({ model: "chat/draw" }, { headers });
    const text = await first.text();
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" } });
    const again = await post({ model: "chat/draw" }, { headers });
    expect(await again.text()).toBe(text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await post({ model: "chat/draw", n: 2 }, { headers });
    expect(other.status).toBe(409);
  });
});

describe("requests", () => {
  test.each([
    [{ prompt: "" }, "prompt"],
    [{ prompt: ["a"] }, "prompt"],
    [{ n: 0 }, "n"],
    [{ n: 11 }, "n"],
    [{ output_format: "svg" }, "output_format"],
    [{ svg: { model: "another" } }, "svg"],
    [{ output_compression: 101 }, "output_compression"],
    [{ partial_images: 4 }, "partial_images"],
    [{ background: "red" }, "background"],
    [{ frame_count: 1001 }, "frame_count"],
    [{ stream: "yes" }, "stream"],
  ])("%p is refused by its place", async (wrong, place) => {
    const { status, error } = await refused({ model: "chat/draw", ...wrong });
    expect([status, error.code]).toEqual([400, "invalid_input"]);
    expect(error.param).toStartWith(place);
  });

  test("a body that is too large is a 413", async () => {
    const { status, error } = await refused({ model: "chat/draw", prompt: "a".repeat(256 * 1024) });
    expect([status, error.code]).toEqual([413, "request_too_large"]);
  });

  test("what the vendor refuses is a 400 in its words", async () => {
    const { status, error } = await refused({ model: "chat/draw", quality: "splendid" });
    expect([status, error.param]).toEqual([400, "quality"]);
    expect(error.message).toContain("Supported values are");
  });

  test.each(["chat/chats", "chat/texts"])("the chat model %s is refused here", async (model) => {
    const { status, error } = await refused({ model });
    expect([status, error.code]).toEqual([400, "model_not_supported_on_endpoint"]);
  });

  test("an image model is refused in chat", async () => {
    const call = openai.chat.completions.create({ model: "chat/draw", messages: [{ role: "user", content: "x" }] });
    const thrown = await call.then(
      () => null,
      (error_thrown: unknown) => error_thrown,
    );
    expect(String(thrown)).toContain("is an image model: use /v1/images/generations or /v1/images/edits.");
  });

  // agentjido/req_llm#517: Gemini refuses to be told of a form.
  test.each([
    [{ n: 2 }, "n"],
    [{ output_format: "jpeg" }, "output_format"],
    [{ response_format: "url" }, "response_format"],
    [{ size: "1000x100" }, "size"],
    [{ size: "large" }, "size"],
  ])("%p cannot be had of Gemini", async (wrong, place) => {
    const { status, error } = await refused({ model: "gemini/tokens", ...wrong });
    expect([status, error.param]).toEqual([400, place]);
  });

  test("Gemini is asked for a ratio, and for a size where it is larger than the usual", async () => {
    await drawn({ model: "gemini/tokens", size: "1792x1024", output_format: "png" });
    expect(simulator.log.last?.body).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: "16:9" } } });
    expect(simulator.log.last?.body).not.toHaveProperty("generationConfig.imageConfig.imageSize");
    await drawn({ model: "gemini/tokens", size: "2048x2048" });
    expect(simulator.log.last?.body).toMatchObject({
      generationConfig: { imageConfig: { aspectRatio: "1:1", imageSize: "2K" } },
    });
  });

  test("who asks is kept from a vendor that is not to know", async () => {
    await drawn({ model: "chat/draw", user: "u-1" });
    expect(simulator.log.last?.body).not.toHaveProperty("user");
  });
});
