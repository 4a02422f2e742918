import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { type AskedPictures, EDITED_TOKENS, pictureOf } from "../../../simulator/images/picture.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/images/edits` (docs/api.md 4.22, docs/rulings.md 229): in JSON and as a form, with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const PROMPT = "A lighthouse in a storm.";
const PROMPT_TOKENS = Math.ceil(Buffer.byteLength(PROMPT) / 4);
const [PER_TEXT, PER_SEEN, PER_DRAWN] = [5, 10, 40];
const LOW_TOKENS = 272;
const chargeFor = (images: number, drawn_tokens = LOW_TOKENS) =>
  PROMPT_TOKENS * PER_TEXT + images * EDITED_TOKENS * PER_SEEN + drawn_tokens * PER_DRAWN;

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

const BY_TOKENS = { input: "5.00", output: "10.00", input_image: "10.00", output_image: "40.00" };

function configuration(): string {
  const model = (upstream_model: string, price: object = BY_TOKENS) => ({
    ...{ kind: "image", price, upstream_model },
    max_completion_tokens: 8000,
  });
  return JSON.stringify({
    catalog: "none",
    vendors: {
      chat: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
      gemini: { protocol: "gemini", base_url: `${simulator.url}/v1beta`, api_key: VENDOR_KEY },
    },
    models: {
      "chat/tokens": model("draw-tokens"),
      "chat/images": model("draw", { images: "0.04" }),
      "chat/500": model("draw-500"),
      "gemini/tokens": model("draw-tokens"),
    },
  });
}

const picture = (text: string, more_bytes = 0): Buffer => {
  const asked: AskedPictures = { text, width: 64, height: 64, quality: "low", count: 1, partial_images: 0 };
  return pictureOf(asked, 0, 1, more_bytes);
};
const urlOf = (image: Buffer) => `data:image/png;base64,${image.toString("base64")}`;
const fileOf = (image: Buffer) => toFile(image, "picture.png", { type: "image/png" });

function post(body: object | FormData, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, ...headers },
    body: body instanceof FormData ? body : JSON.stringify({ prompt: PROMPT, ...body }),
  });
}

function formOf(fields: Readonly<Record<string, string | Blob | readonly Blob[]>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ prompt: PROMPT, ...fields }))
    for (const each of Array.isArray(value) ? value : [value as string | Blob]) form.append(name, each);
  return form;
}

const blobOf = (image: Buffer) => new Blob([new Uint8Array(image)], { type: "image/png" });

interface Refusal {
  readonly error: { readonly message: string; readonly code: string; readonly param: string | null };
}

function receiptOf(response: Response) {
  return endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
}

describe("an edit", () => {
  test.each([1, 3])("of %d images as a form comes by the official client, charged exactly", async (count) => {
    const files = await Promise.all(Array.from({ length: count }, (_, at) => fileOf(picture(`image ${at}`))));
    const image = count === 1 ? (files[0] as File) : files;
    const { data, response } = await openai.images
      .edit({ model: "chat/tokens", prompt: PROMPT, image, n: 2, quality: "low" })
      .withResponse();
    expect(data.data).toHaveLength(2);
    const receipt = await receiptOf(response);
    expect(receipt).toMatchObject({ endpoint: "images.edits", charge_micro: chargeFor(count, 2 * LOW_TOKENS) });
    expect(data.usage).toMatchObject({ cost: receipt.charge_micro / 1e6 } as object);
    expect(receipt.hold_micro).toBeGreaterThanOrEqual(receipt.charge_micro);
  });

  test.each([0, 2_000_000])("in JSON with %d bytes more costs the same", async (more_bytes) => {
    const images = [{ image_url: urlOf(picture("one", more_bytes)) }];
    const response = await post({ model: "chat/tokens", images });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ usage: { cost: chargeFor(1) / 1e6 } });
    expect(await receiptOf(response)).toMatchObject({ charge_micro: chargeFor(1), estimated: false });
  });

  test("by the image costs that", async () => {
    const response = await post(formOf({ model: "chat/images", "image[]": [blobOf(picture("one"))] }));
    await response.text();
    expect(await receiptOf(response)).toMatchObject({ charge_micro: 40_000 });
  });

  test("streams with images on their way", async () => {
    const stream = await openai.images.edit({
      ...{ model: "chat/tokens", prompt: PROMPT, image: await fileOf(picture("one")) },
      ...{ stream: true, partial_images: 1 },
    });
    const read: OpenAI.Images.ImageEditStreamEvent[] = [];
    for await (const event of stream) read.push(event);
    expect(read.map(({ type }) => type)).toEqual(["image_edit.partial_image", "image_edit.completed"]);
    expect(read.at(-1)).toMatchObject({ usage: { cost: chargeFor(1, LOW_TOKENS + 100) / 1e6 } });
  });

  test.each(["form", "JSON"])("by Gemini as %s has its image beside the prompt", async (how) => {
    const image = picture("one");
    const body =
      how === "form"
        ? formOf({ model: "gemini/tokens", image: blobOf(image) })
        : { model: "gemini/tokens", images: [{ image_url: urlOf(image) }] };
    const response = await post(body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ b64_json: expect.any(String) }] });
    expect(simulator.log.last?.body).toMatchObject({
      contents: [
        { parts: [{ text: PROMPT }, { inlineData: { mimeType: "image/png", data: image.toString("base64") } }] },
      ],
    });
  });

  test("that fails costs nothing, and a repeat with its key is the same", async () => {
    const failed = await post(formOf({ model: "chat/500", image: blobOf(picture("one")) }));
    expect(failed.status).toBe(502);
    expect(await receiptOf(failed)).toMatchObject({ charge_micro: 0 });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const fields = { model: "chat/images", image: blobOf(picture("one")) };
    const first = await (await post(formOf(fields), headers)).text();
    const again = await post(formOf(fields), headers);
    expect([await again.text(), again.headers.get("idempotent-replayed")]).toEqual([first, "true"]);
    expect((await post(formOf({ ...fields, image: blobOf(picture("two")) }), headers)).status).toBe(409);
  });
});

describe("requests", () => {
  const image = blobOf(picture("one"));
  test.each([
    [() => formOf({ model: "chat/tokens" }), 400, "image"],
    [() => formOf({ model: "chat/tokens", image: new Blob([]) }), 400, "image"],
    [() => formOf({ model: "chat/tokens", "image[]": Array.from({ length: 17 }, () => image) }), 400, "image"],
    [() => formOf({ model: "chat/tokens", image, n: "many" }), 400, "n"],
    [() => formOf({ model: "gemini/tokens", image, mask: image }), 400, "mask"],
    [() => formOf({ model: "chat/tokens", image: new Blob([new Uint8Array(20 * 2 ** 20 + 1)]) }), 413, "image"],
    [() => ({ model: "chat/tokens" }), 400, "images"],
    [() => ({ model: "chat/tokens", images: [] }), 400, "images"],
    [() => ({ model: "gemini/tokens", images: [{ image_url: "https://example.com/a.png" }] }), 400, "images[0]"],
  ] as [() => object | FormData, number, string][])("%# is refused by its place", async (body, status, place) => {
    const response = await post(body());
    const { error } = (await response.json()) as Refusal;
    expect([response.status, error.param]).toEqual([status, place]);
  });
});
