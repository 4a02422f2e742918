import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type AskedSpeech, soundOf, spokenTokens } from "../../../simulator/sound/sound.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/audio/speech` (docs/api.md 4.15, docs/rulings.md 221): by both protocols of vendors, with the official client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const TEXT = "The trains to the coast leave every hour, été compris 🚆.";
const CHARACTERS = [...TEXT].length;
/** Micro units for a million characters, and for a token of input and of output. */
const PER_MILLION = 15_000_000;
const [PER_INPUT, PER_OUTPUT] = [2, 12];

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

const BY_CHARACTERS = { input_characters: "15.00" };
const BY_TOKENS = { input: "2.00", output: "12.00" };

function configuration(): string {
  const model = (upstream_model: string, price: object = BY_CHARACTERS) => ({ kind: "speech", price, upstream_model });
  const odd = ["silent", "500", "400", "429", "cut", "slow"];
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
      "chat/speak": model("speak"),
      "chat/tokens": { ...model("speak-tokens", BY_TOKENS), max_completion_tokens: 8000 },
      // A server of one's own, which refuses events (vllm-project/vllm-omni#4490: of MP3).
      "chat/free": model("speak", { input: 0, output: 0 }),
      "chat/no-events": { ...model("speak-no-events", BY_TOKENS), max_completion_tokens: 8000 },
      "chat/no-usage": { ...model("speak-no-usage", BY_TOKENS), max_completion_tokens: 8000 },
      "chat/huge": { ...model("speak-tokens@usage=huge", BY_TOKENS), max_completion_tokens: 8000 },
      "chat/billions": { ...model("speak-tokens@usage=billions", BY_TOKENS), max_completion_tokens: 8000 },
      "gemini/tokens": { ...model("speak-tokens", BY_TOKENS), max_completion_tokens: 8000 },
      "gemini/silent": { ...model("speak-tokens@silent=1", BY_TOKENS), max_completion_tokens: 8000 },
      ...Object.fromEntries(odd.map((name) => [`chat/${name}`, model(`speak-${name}`)])),
      "stalls/stalls": model("speak-stalls"),
      "leaves/slow": model("speak-slow"),
      "leaves/slow-tokens": { ...model("speak-tokens@ms=20", BY_TOKENS), max_completion_tokens: 8000 },
      "chat/falls": { ...model("speak-500"), fallbacks: ["chat/tokens"] },
      "chat/silent-falls": { ...model("speak-silent"), fallbacks: ["gemini/tokens"] },
      "chat/chats": { price: { input: 1, output: 1 }, upstream_model: "echo", capabilities: { thinking: false } },
    },
  });
}

const ASKED = { input: TEXT, voice: "coral", response_format: "wav" };
const spoken = (format: AskedSpeech["format"]) => Buffer.concat(soundOf({ text: TEXT, format, events: false }));
const INPUT_TOKENS = Math.ceil(Buffer.byteLength(TEXT) / 4);
const BY_CHARACTERS_MICRO = Math.ceil((CHARACTERS * PER_MILLION) / 1e6);
const BY_TOKENS_MICRO = INPUT_TOKENS * PER_INPUT + spokenTokens(TEXT) * PER_OUTPUT;

function post(body: object, init: RequestInit = {}, by = key): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${gateway.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: JSON.stringify({ ...ASKED, ...body }),
    ...rest,
  });
}

interface Refusal {
  readonly error: { readonly message: string; readonly code: string; readonly param: string | null };
}

async function refused(body: object): Promise<{ status: number; error: Refusal["error"]; response: Response }> {
  const response = await post(body);
  return { status: response.status, error: ((await response.json()) as Refusal).error, response };
}

function receiptOf(response: Response) {
  return endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
}

interface SpeechEvent {
  readonly type: string;
  readonly audio?: string;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly cost: number };
  readonly error?: Refusal["error"];
}

async function events(response: Response): Promise<SpeechEvent[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.replace(/^data: /, "")) as SpeechEvent);
}

const soundIn = (read: readonly SpeechEvent[]) =>
  Buffer.concat(read.map(({ audio = "" }) => Buffer.from(audio, "base64")));

describe.each([
  ["chat/speak", "wav", "audio/wav", BY_CHARACTERS_MICRO],
  ["chat/speak", "mp3", "audio/mpeg", BY_CHARACTERS_MICRO],
  ["chat/free", "mp3", "audio/mpeg", 0],
  ["chat/tokens", "pcm", "audio/pcm", BY_TOKENS_MICRO],
  ["chat/tokens", "mp3", "audio/mpeg", BY_TOKENS_MICRO],
  ["gemini/tokens", "wav", "audio/wav", BY_TOKENS_MICRO],
  ["gemini/tokens", "pcm", "audio/pcm", BY_TOKENS_MICRO],
] as const)("%s as %s", (model, response_format, type, charge_micro) => {
  // BerriAI/litellm#4332, #38798: every format was called audio/mpeg.
  test("the official client gets the sound, its type says what it is, and it is charged exactly", async () => {
    const { data, response } = await openai.audio.speech
      .create({ model, input: TEXT, voice: "coral", response_format })
      .withResponse();
    expect(response.headers.get("content-type")).toBe(type);
    expect(Buffer.from(await data.arrayBuffer()).equals(spoken(response_format))).toBe(true);
    expect(await receiptOf(response)).toMatchObject({
      ...{ endpoint: "audio.speech", model, status: "settled", estimated: model === "chat/free", charge_micro },
    });
  });

  // BerriAI/litellm#24301, #33974: events that were asked for came as one piece of sound.
  test("events have the same sound, and end with what it cost", async () => {
    const response = await post({ model, response_format, stream_format: "sse" });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const read = await events(response);
    expect(soundIn(read).equals(spoken(response_format))).toBe(true);
    expect(read.at(-1)).toMatchObject({ type: "speech.audio.done", usage: { cost: charge_micro / 1e6 } });
    expect(await receiptOf(response)).toMatchObject({ charge_micro });
  });
});

test("a WAV file of a vendor without files can be opened", () => {
  const file = spoken("wav");
  expect(file.toString("latin1", 0, 4)).toBe("RIFF");
  expect(file.readUInt32LE(4)).toBe(file.byteLength - 8);
});

describe("charges", () => {
  test("characters are characters of Unicode, on a line of their own", async () => {
    const response = await post({ model: "chat/speak" });
    await response.arrayBuffer();
    const receipt = await receiptOf(response);
    expect(receipt.usage).toMatchObject({ input_tokens: 0, output_tokens: 0, units: { input_characters: CHARACTERS } });
    expect(receipt).toMatchObject({ price: { units_micro: { input_characters: PER_MILLION } } });
    expect(receipt.hold_micro).toBe(BY_CHARACTERS_MICRO);
    const line = await gateway.admin("GET", `/requests/${receipt.id}`);
    expect(line).toMatchObject({
      lines: [{ class: "input_characters", unit: "character", count: CHARACTERS, amount_micro: BY_CHARACTERS_MICRO }],
    });
  });

  test.each([
    ["chat/no-events", true],
    ["chat/no-usage", true],
    ["chat/huge", true],
    ["chat/billions", true],
  ])("%s is charged by the length of its sound, estimated: %p", async (model, estimated) => {
    const response = await post({ model });
    expect(Buffer.from(await response.arrayBuffer()).equals(spoken("wav"))).toBe(true);
    const receipt = await receiptOf(response);
    expect(receipt.estimated).toBe(estimated);
    expect(receipt.charge_micro).toBeGreaterThanOrEqual(BY_TOKENS_MICRO);
    expect(receipt.charge_micro).toBeLessThanOrEqual(receipt.hold_micro);
  });

  test.each([
    ["chat/500", 502, "provider_error"],
    ["chat/429", 429, "provider_rate_limited"],
    ["chat/400", 400, "invalid_input"],
    ["chat/silent", 502, "provider_error"],
    ["gemini/silent", 502, "provider_error"],
  ])("%s is a %d and not charged", async (model, status, code) => {
    const answer = await refused({ model });
    expect([answer.status, answer.error.code]).toEqual([status, code]);
    expect(await receiptOf(answer.response)).toMatchObject({ charge_micro: 0 });
  });

  test.each([
    ["chat/falls", "chat/tokens"],
    ["chat/silent-falls", "gemini/tokens"],
  ])("%s falls back, and is charged once by who spoke", async (model, by) => {
    const response = await post({ model });
    expect(Buffer.from(await response.arrayBuffer()).equals(spoken("wav"))).toBe(true);
    expect(await receiptOf(response)).toMatchObject({ model: by, charge_micro: BY_TOKENS_MICRO });
  });

  test.each(["chat/cut", "stalls/stalls"])(
    "%s breaks off: so does the client's sound, and its characters are charged",
    async (model) => {
      const response = await post({ model });
      const read = await response.arrayBuffer().then(
        () => "whole",
        () => "broken",
      );
      expect([response.status, read]).toEqual([200, "broken"]);
      expect(await receiptOf(response)).toMatchObject({ error: expect.any(String), charge_micro: BY_CHARACTERS_MICRO });
    },
  );

  test("events that break off say so", async () => {
    const response = await post({ model: "chat/cut", stream_format: "sse" });
    const read = await events(response);
    expect(read.at(-1)).toMatchObject({ type: "error", error: { code: "provider_error" } });
  });

  test.each([
    ["chat/slow", BY_CHARACTERS_MICRO, BY_CHARACTERS_MICRO],
    ["leaves/slow", BY_CHARACTERS_MICRO, BY_CHARACTERS_MICRO],
    ["leaves/slow-tokens", INPUT_TOKENS, BY_TOKENS_MICRO],
  ])("who leaves %s in the middle pays for the characters, or for the sound so far", async (model, least, most) => {
    const leaving = new AbortController();
    const response = await post({ model }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    const receipt = await receiptOf(response);
    expect(receipt.charge_micro).toBeWithin(least, most + 1);
  });

  test("an empty wallet is a 402, and what a vendor could bill is held", async () => {
    const poor = await gateway.newKey({ credit: "0.000010" });
    const response = await post({ model: "chat/speak" }, {}, poor);
    expect([response.status, ((await response.json()) as Refusal).error.code]).toEqual([402, "insufficient_balance"]);
    const by_tokens = await post({ model: "chat/tokens" });
    await by_tokens.arrayBuffer();
    expect((await receiptOf(by_tokens)).hold_micro).toBe(
      (Buffer.byteLength(TEXT) + 16) * PER_INPUT + 8000 * PER_OUTPUT,
    );
  });

  test("a repeat with its key is the same sound with its type, charged once", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await post({ model: "chat/speak" }, { headers });
    const sound = Buffer.from(await first.arrayBuffer());
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" } });
    const again = await post({ model: "chat/speak" }, { headers });
    expect(Buffer.from(await again.arrayBuffer()).equals(sound)).toBe(true);
    expect([again.headers.get("idempotent-replayed"), again.headers.get("content-type")]).toEqual([
      "true",
      "audio/wav",
    ]);
    const other = await post({ model: "chat/speak", input: "another" }, { headers });
    expect(other.status).toBe(409);
  });
});

describe("requests", () => {
  test.each([
    [{ input: "" }, "input"],
    [{ input: ["a"] }, "input"],
    [{ voice: undefined }, "voice"],
    [{ voice: {} }, "voice"],
    [{ response_format: "ogg" }, "response_format"],
    [{ speed: 5 }, "speed"],
    [{ stream_format: "json" }, "stream_format"],
  ])("%p is refused by its place", async (wrong, place) => {
    const { status, error } = await refused({ model: "chat/speak", ...wrong });
    expect([status, error.code]).toEqual([400, "invalid_input"]);
    expect(error.param).toStartWith(place);
  });

  test("a body that is too large is a 413", async () => {
    const { status, error } = await refused({ model: "chat/speak", input: "a".repeat(256 * 1024) });
    expect([status, error.code]).toEqual([413, "request_too_large"]);
  });

  test("what the vendor refuses is a 400 in its words", async () => {
    const { status, error } = await refused({ model: "chat/speak", voice: "nobody" });
    expect([status, error.param]).toEqual([400, "voice"]);
    expect(error.message).toContain("Supported values are");
  });

  test("a model of another kind is refused at either endpoint", async () => {
    const { status, error } = await refused({ model: "chat/chats" });
    expect([status, error.code]).toEqual([400, "model_not_supported_on_endpoint"]);
    const call = openai.chat.completions.create({ model: "chat/speak", messages: [{ role: "user", content: "x" }] });
    const thrown = await call.then(
      () => null,
      (error_thrown: unknown) => error_thrown,
    );
    expect(String(thrown)).toContain("is a speech model: use /v1/audio/speech.");
  });

  test("Gemini speaks in two formats, in WAV where none is named, and what it has no place for is named", async () => {
    const { status, error } = await refused({ model: "gemini/tokens", response_format: "mp3" });
    expect([status, error.param]).toEqual([400, "response_format"]);
    const response = await post({
      model: "gemini/tokens",
      response_format: undefined,
      speed: 2,
      instructions: "Calmly.",
    });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(response.headers.get("x-camino-ignored")).toBe("speed");
    await response.arrayBuffer();
    expect(JSON.stringify(simulator.log.last?.body)).toContain("Calmly.");
  });

  test("the vendor is asked for events where it counts tokens, and for sound where characters are what counts", async () => {
    await (await post({ model: "chat/tokens" })).arrayBuffer();
    expect(simulator.log.last?.body).toMatchObject({ stream_format: "sse" });
    await (await post({ model: "chat/speak", stream_format: "sse" })).arrayBuffer();
    expect(simulator.log.last?.body).not.toHaveProperty("stream_format");
  });
});
