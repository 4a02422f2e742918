import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";

/**
 * What Open WebUI sends where its settings for images, speech and dictation say `openai`, and what it reads of the answers, as its public sources have
 * them (`routers/images.py` and `routers/audio.py`, of November 2026). `npm run clients` runs the program itself, which takes a minute to start; this takes a second.
 */

let simulator: Simulator;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: "k" });
  const tokens = { price: { input: 1, output: 4 }, max_completion_tokens: 8000 };
  gateway = await startGateway({
    config: JSON.stringify({
      catalog: "none",
      vendors: {
        chat: { protocol: "chat-completions", base_url: simulator.base_url, api_key: "k" },
        gemini: { protocol: "gemini", base_url: `${simulator.url}/v1beta`, api_key: "k" },
      },
      models: {
        ...Object.fromEntries(
          ["chat", "gemini"].flatMap((vendor) => [
            [`${vendor}/draw`, { kind: "image", upstream_model: "draw-tokens", ...tokens }],
            [`${vendor}/speak`, { kind: "speech", upstream_model: "speak-tokens", ...tokens }],
          ]),
        ),
        "chat/plain": { kind: "image", upstream_model: "draw-plain", price: { images: "0.02" } },
        "chat/listen": { kind: "transcription", upstream_model: "listen", price: { input_minutes: "0.006" } },
      },
    }),
  });
  key = await gateway.newKey({ credit: "100" });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

const post = (path: string, body: object | FormData): Promise<Response> =>
  fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.key}`,
      ...(!(body instanceof FormData) && { "content-type": "application/json" }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });

const VENDORS = ["chat", "gemini"];
const SIZED = { size: "1024x1024" };
/** It leaves `response_format` out for models whose names begin with `gpt-image`, which OpenAI's refuse. */
const BASE64 = { response_format: "b64_json" };

test.each([
  ...[["chat/draw", {}] as const, ["chat/draw", SIZED] as const],
  ...[["chat/plain", BASE64] as const, ["chat/plain", { ...SIZED, ...BASE64 }] as const],
  ...[["gemini/draw", {}] as const, ["gemini/draw", { ...SIZED, ...BASE64 }] as const],
])("an image of %s, asked for with %j, is a PNG in base64", async (model, more) => {
  const answer = await post("/images/generations", { model, prompt: "A lighthouse", n: 1, ...more });
  const { data } = (await answer.json()) as { data: { url?: string; b64_json: string }[] };
  expect([answer.status, data.length, data[0]?.url]).toEqual([200, 1, undefined]);
  expect(Buffer.from(data[0]?.b64_json ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
});

test.each(VENDORS)("a text read aloud by %s is a file of sound", async (vendor) => {
  const asked = { model: `${vendor}/speak`, input: "The trains leave every hour." };
  const format = vendor === "gemini" ? { response_format: "wav" } : {};
  const answer = await post("/audio/speech", { ...asked, voice: "alloy", ...format });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^audio\//)]);
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
});

test.each([{}, { language: "en" }])("a dictation with %j is text", async (more) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "chat/listen", ...more })) form.append(name, value);
  const wav = Buffer.concat(soundOf({ text: "one two three four", format: "wav", events: false }));
  form.append("file", new File([wav], "audio.wav", { type: "audio/wav" }));
  const answer = await post("/audio/transcriptions", form);
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ text: expect.any(String) })]);
});
