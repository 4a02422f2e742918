import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import zlib from "node:zlib";
import { type DecisionGateway, served, startDecisionGateway } from "./support/decision-gateway.ts";

/** Images by name on System One, in forms as TypeSafe's client sends them, or in the JSON (docs/rulings.md 164). */

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const NAME = `<image:${"0a".repeat(16)}>`;
const QUESTIONS = { broken: { type: "noul", instructions: `The parcel in ${NAME} is broken.` } };
const IMAGES = { input_modalities: ["text", "image"] };
const judge = { engine: "logprobs", model: "chat/judge" };

let decisions: DecisionGateway;
beforeAll(async () => {
  decisions = await startDecisionGateway({
    models: {
      "systemone/eye": served("decider", IMAGES),
      "decisions/eye": served("decider", IMAGES),
      "typesafe/eye": served("decider", IMAGES),
      "chat/eye": { kind: "decision", price: { input: 10 }, ...IMAGES, decide_with: judge },
      "chat/blind": { kind: "decision", price: { input: 10 }, input_modalities: ["text"], decide_with: judge },
    },
  });
});
afterAll(() => decisions[Symbol.asyncDispose]());

type Json = Readonly<Record<string, unknown>>;

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
}

async function send(body: Uint8Array | string, headers: Readonly<Record<string, string>>): Promise<Told> {
  const response = await fetch(`${decisions.gateway.url}/v1/systemone`, {
    method: "POST",
    headers: { authorization: `Bearer ${decisions.key.key}`, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

/** A form with each part as the client writes it: the name twice for files, the type always. */
function form(request: unknown, files: Readonly<Record<string, Buffer>>, boundary: string = randomUUID()) {
  const head = (name: string, type: string, file = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${head("request", "application/json")}${JSON.stringify(request)}\r\n`),
    ...Object.entries(files).flatMap(([name, data]) => [
      Buffer.from(head(name, "image/png", `; filename="${name}"`)),
      data,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { body, type: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

const asset = (index: number) => ({ type: "image", part: `asset-${index}` });
const request = (model: string, more: Json = {}): Json => ({
  model,
  state: `See ${NAME}, it came today.`,
  questions: QUESTIONS,
  assets: { [NAME]: asset(0) },
  ...more,
});
const files = { "asset-0": PNG };
const vendorSaw = () => JSON.stringify(decisions.simulator.log.last?.body);

describe.each(["systemone/eye", "decisions/eye", "typesafe/eye", "chat/eye"])("on %s", (model) => {
  test.each([
    ["text", `See ${NAME}, it came today.`],
    ["nothing but the image", NAME],
    ["an object", { parcel: "It came today.", photo: NAME }],
    ["an array", ["It came today.", NAME]],
  ])("a form is answered whose state is %s", async (_, state) => {
    const { body, type } = form(request(model, { state }), files);
    const { status, json, headers } = await send(body, type);
    expect([status, json]).toEqual([200, expect.objectContaining({ model, answers: { broken: expect.any(Object) } })]);
    expect(headers.get("x-typesafe-request-id")).toBe(headers.get("x-request-id"));
    expect(vendorSaw()).toContain(PNG.toString("base64"));
    expect(vendorSaw()).toContain(NAME);
  });

  test("an image in the JSON gets the same answer as in the form, at the same cost", async () => {
    const { body, type } = form(request(model), files);
    const formed = await send(body, type);
    const saw = vendorSaw();
    const inlined = { [NAME]: { type: "image", format: "png", data_base64: PNG.toString("base64") } };
    const plain = await send(JSON.stringify(request(model, { assets: inlined })), {});
    expect(plain.json).toEqual(formed.json);
    if (model !== "typesafe/eye") expect(vendorSaw()).toBe(saw);
  });

  test("an image that the state does not name follows the state, behind its name", async () => {
    const { body, type } = form(request(model, { state: "As in the photo.", assets: { photo: asset(0) } }), files);
    expect((await send(body, type)).status).toBe(200);
    expect(vendorSaw()).toContain(PNG.toString("base64"));
    expect(vendorSaw()).toContain(model === "typesafe/eye" ? '"photo"' : "photo:");
  });

  test("an image goes to the vendor once, however often it is named", async () => {
    const { body, type } = form(request(model, { state: NAME.repeat(100) }), files);
    expect((await send(body, type)).status).toBe(200);
    expect(vendorSaw().split(PNG.toString("base64"))).toHaveLength(2);
  });
});

test("a vendor that takes image names gets state and assets unchanged", async () => {
  const { body, type } = form(request("typesafe/eye", { state: { a: [NAME, 1.0, null] } }), files);
  expect((await send(body, type)).status).toBe(200);
  expect(decisions.simulator.log.last?.body).toEqual({
    model: "decider",
    state: { a: [NAME, 1, null] },
    assets: { [NAME]: { type: "image", data_base64: PNG.toString("base64") } },
    questions: QUESTIONS,
  });
});

test("a form may be compressed", async () => {
  const { body, type } = form(request("chat/eye"), files);
  expect((await send(zlib.zstdCompressSync(body), { ...type, "content-encoding": "zstd" })).status).toBe(200);
});

test("a form that is sent again, with another boundary, is the same request", async () => {
  const key = { "idempotency-key": randomUUID() };
  const first = form(request("chat/eye"), files);
  const again = form(request("chat/eye"), files);
  const answer = await send(first.body, { ...first.type, ...key });
  const replayed = await send(again.body, { ...again.type, ...key });
  expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  expect(replayed.json).toEqual(answer.json);
});

describe("refused", () => {
  const two = { "asset-0": PNG, "asset-1": PNG };
  test.each<[string, Json, Readonly<Record<string, Buffer>>, string]>([
    ["a part that is not there", { assets: { [NAME]: asset(7) } }, {}, "no part that is still free"],
    ["a part that no asset names", {}, two, "No asset names the part"],
    ["a part without assets", { assets: undefined }, files, "No asset names the part"],
    ["a part of two assets", { assets: { a: asset(0), b: asset(0) } }, files, "no part that is still free"],
    ["the request as an image", { assets: { a: { part: "request" } } }, {}, "no part that is still free"],
    ["no assets in assets", { assets: {} }, {}, "1 to 128 assets"],
    ["an asset without an image", { assets: { a: { type: "image" } } }, {}, "an image in base64"],
    ["an asset of another type", { assets: { a: { type: "video", part: "asset-0" } } }, files, '\\"image\\"'],
    ["an unknown field", { assets: { a: { ...asset(0), url: "x" } } }, files, "is not a field of an asset"],
    ["a file that is no image", {}, { "asset-0": Buffer.from("hello") }, "png or jpeg"],
    ["images for a model that sees none", { model: "chat/blind" }, files, "image"],
  ])("%s", async (_, more, parts, sentence) => {
    const { body, type } = form(request("chat/eye", more), parts);
    const answer = await send(body, type);
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([400, expect.stringContaining(sentence)]);
  });

  test("a part in plain JSON", async () => {
    const { status, json } = await send(JSON.stringify(request("chat/eye")), {});
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining("in multipart/form-data only")]);
  });

  test("a form without a request, and one with two of a name", async () => {
    const { body, type } = form(request("chat/eye"), files, "b0");
    const lost = Buffer.from(body.toString("latin1").replace('name="request"', 'name="quest"'), "latin1");
    expect(JSON.stringify((await send(lost, type)).json)).toContain("no part 'request'");
    const twice = Buffer.from(body.toString("latin1").replace('name="request"', 'name="asset-0"'), "latin1");
    expect(JSON.stringify((await send(twice, type)).json)).toContain("two parts of one name");
  });

  test("a form that is cut off", async () => {
    const { body, type } = form(request("chat/eye"), files);
    const { status, json } = await send(body.subarray(0, -3), type);
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('"code":"invalid_json"')]);
  });

  test("129 images", async () => {
    const assets = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`i${index}`, asset(index)]));
    const parts = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`asset-${index}`, PNG]));
    const { body, type } = form(request("chat/eye", { assets }), parts);
    expect(JSON.stringify((await send(body, type)).json)).toContain("1 to 128 assets");
  });
});

test("TypeSafe's client finds its list of models in the gateway's; other clients get only one list", async () => {
  const list = async (headers: Readonly<Record<string, string>>) => {
    const authorization = `Bearer ${decisions.key.key}`;
    const response = await fetch(`${decisions.gateway.url}/v1/models`, { headers: { authorization, ...headers } });
    return (await response.json()) as Json;
  };
  expect(await list({})).not.toHaveProperty("models");
  const { models, object } = await list({ "x-typesafe-sdk": "typesafe-sdk/0.7.5" });
  expect(object).toBe("list");
  expect(models).toContainEqual({
    name: "typesafe/eye",
    description: expect.any(String),
    release_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
  });
});
