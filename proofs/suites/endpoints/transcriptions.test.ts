import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { heardText, soundOf, soundTokens } from "../../../simulator/sound/sound.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/**
 * `POST /v1/audio/transcriptions` and `/v1/audio/translations` (docs/api.md 4.20, docs/rulings.md 228), with the official client
 * unmodified.
 */

const VENDOR_KEY = "sk-vendor-0123456789";
const WORDS = "The trains to the coast leave every hour, on the hour, and later than that.";
const SECONDS = WORDS.split(" ").length * 0.25;
const BILLED_SECONDS = Math.ceil(SECONDS);
const WAV = Buffer.concat(soundOf({ text: WORDS, format: "wav", events: false }));
const MP3 = Buffer.concat(soundOf({ text: WORDS, format: "mp3", events: false }));
const TEXT = heardText({ seconds: SECONDS, prompt: "", format: "json", translates: false });
const PER_MINUTE_MICRO = 6000;
const BY_MINUTES_MICRO = (BILLED_SECONDS * PER_MINUTE_MICRO) / 60;
/** Micro units for a token of sound and of output. */
const [PER_SOUND, PER_OUTPUT] = [6, 10];
const INPUT_TOKENS = soundTokens(SECONDS);

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

const BY_MINUTES = { input_minutes: "0.006" };
const BY_TOKENS = { input: "2.50", input_audio: "6.00", output: "10.00" };

function configuration(): string {
  const model = (upstream_model: string, price: object = BY_MINUTES) => ({
    ...{ kind: "transcription", price, upstream_model },
    max_completion_tokens: 2000,
  });
  const chat = { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY };
  return JSON.stringify({
    catalog: "none",
    vendors: { chat, leaves: { ...chat, on_disconnect: "abort" } },
    models: {
      "chat/listen": model("listen"),
      "chat/tokens": model("listen-tokens", BY_TOKENS),
      "chat/no-usage": model("listen-no-usage", BY_TOKENS),
      "chat/billions": model("listen-tokens@usage=billions", BY_TOKENS),
      "chat/html": model("listen-html"),
      "chat/cut": model("listen-cut", BY_TOKENS),
      "leaves/slow": model("listen-slow", BY_TOKENS),
      "chat/slow": model("listen-slow", BY_TOKENS),
      ...Object.fromEntries(["500", "429", "400"].map((name) => [`chat/${name}`, model(`listen-${name}`)])),
      "chat/falls": { ...model("listen-503"), fallbacks: ["chat/listen"] },
      "chat/chats": { price: { input: 1, output: 1 }, upstream_model: "echo", capabilities: { thinking: false } },
    },
  });
}

type Field = string | Blob | readonly string[];

function formOf(fields: Readonly<Record<string, Field>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ file: new Blob([new Uint8Array(WAV)]), ...fields }))
    for (const each of Array.isArray(value) ? value : [value as string | Blob])
      if (typeof each === "string") form.append(name, each);
      else form.append(name, each, "speech.wav");
  return form;
}

function post(fields: Readonly<Record<string, Field>>, init: RequestInit = {}, by = key): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: formOf(fields),
    ...rest,
  });
}

interface Refusal {
  readonly error: { readonly message: string; readonly code: string; readonly param: string | null };
}

async function refused(fields: Readonly<Record<string, Field>>) {
  const response = await post(fields);
  return { status: response.status, error: ((await response.json()) as Refusal).error, response };
}

function receiptOf(response: Response) {
  return endedReceipt(gateway, key.key, response.headers.get("x-camino-request-id") ?? "");
}

const file = (bytes: Uint8Array, name: string) => toFile(bytes, name);

describe("a transcription", () => {
  test.each([
    ["speech.wav", WAV],
    ["speech.mp3", MP3],
  ])("of %s comes by the official client, charged by its minutes", async (name, bytes) => {
    const { data, response } = await openai.audio.transcriptions
      .create({ model: "chat/listen", file: await file(bytes, name), timestamp_granularities: ["word", "segment"] })
      .withResponse();
    expect(data.text).toStartWith("A recording of");
    const receipt = await receiptOf(response);
    expect(receipt).toMatchObject({ endpoint: "audio.transcriptions", model: "chat/listen", estimated: false });
    expect(data.usage).toMatchObject({ type: "duration", cost: receipt.charge_micro / 1e6 } as object);
    expect(receipt.charge_micro).toBeWithin(BY_MINUTES_MICRO, BY_MINUTES_MICRO * 1.2);
    expect(receipt.hold_micro).toBeGreaterThanOrEqual(receipt.charge_micro);
    expect(simulator.log.last?.body).toMatchObject({ "timestamp_granularities[]": ["word", "segment"] });
  });

  // api7/aisix#868: whoever asked for text, which has no usage, paid nothing. BerriAI/litellm#7601: nothing was charged at all.
  test.each([
    ["json", "application/json"],
    ["verbose_json", "application/json"],
    ["text", "text/plain; charset=utf-8"],
    ["srt", "text/plain; charset=utf-8"],
    ["vtt", "text/plain; charset=utf-8"],
  ])("as %s costs the same", async (response_format, type) => {
    const response = await post({ model: "chat/listen", response_format });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    const text = await response.text();
    expect(text).toContain(TEXT);
    if (response_format === "text") expect(text).toBe(`${TEXT}\n`);
    if (response_format === "vtt") expect(text).toStartWith("WEBVTT\n");
    if (type === "application/json")
      expect(JSON.parse(text)).toMatchObject({ usage: { seconds: BILLED_SECONDS, cost: BY_MINUTES_MICRO / 1e6 } });
    expect(await receiptOf(response)).toMatchObject({ charge_micro: BY_MINUTES_MICRO, estimated: false });
  });

  test.each(["json", "text", "diarized_json"])(
    "by tokens, as %s, costs what its vendor counts",
    async (response_format) => {
      const response = await post({ model: "chat/tokens", response_format });
      expect(await response.text()).toContain(TEXT);
      const receipt = await receiptOf(response);
      expect(receipt.usage).toMatchObject({ input_tokens: INPUT_TOKENS, parts: { input_audio: INPUT_TOKENS } });
      expect(receipt.charge_micro).toBe(INPUT_TOKENS * PER_SOUND + (receipt.usage?.output_tokens ?? 0) * PER_OUTPUT);
      expect(receipt.estimated).toBe(false);
    },
  );

  test("has its minutes on a line of their own", async () => {
    const response = await post({ model: "chat/listen" });
    await response.text();
    const receipt = await receiptOf(response);
    expect(receipt.usage).toMatchObject({ units: { input_seconds: BILLED_SECONDS } });
    expect(await gateway.admin("GET", `/requests/${receipt.id}`)).toMatchObject({
      lines: [{ class: "input_minutes", unit: "second", count: BILLED_SECONDS, amount_micro: BY_MINUTES_MICRO }],
    });
  });

  test("into English", async () => {
    const { data, response } = await openai.audio.translations
      .create({ model: "chat/listen", file: await file(WAV, "speech.wav"), prompt: "Trains." })
      .withResponse();
    expect(data.text).toStartWith("In English:");
    expect(await receiptOf(response)).toMatchObject({ endpoint: "audio.translations", charge_micro: BY_MINUTES_MICRO });
  });

  test("streams, and ends with what it cost", async () => {
    for (const model of ["chat/tokens", "chat/listen"]) {
      const stream = await openai.audio.transcriptions.create({ model, file: await file(WAV, "a.wav"), stream: true });
      const read: OpenAI.Audio.TranscriptionStreamEvent[] = [];
      for await (const event of stream) read.push(event);
      const deltas = read.flatMap((event) => (event.type === "transcript.text.delta" ? [event.delta] : []));
      expect(deltas.join("")).toBe(TEXT);
      expect(read.at(-1)).toMatchObject({
        type: "transcript.text.done",
        text: TEXT,
        usage: { cost: expect.any(Number) },
      });
    }
  });

  test("reaches its vendor with its file as it came", async () => {
    const response = await post({ model: "chat/tokens", prompt: "Trains.", language: "en" });
    await response.text();
    const body = simulator.log.last?.body as { file: Uint8Array; model: string; language: string };
    expect(Buffer.from(body.file).equals(WAV)).toBe(true);
    expect([body.model, body.language]).toEqual(["listen-tokens", "en"]);
  });
});

describe("charges", () => {
  test.each(["chat/no-usage", "chat/billions"])("%s is charged by what such sound usually is", async (model) => {
    const response = await post({ model });
    await response.text();
    const receipt = await receiptOf(response);
    expect(receipt.estimated).toBe(true);
    expect(receipt.charge_micro).toBeWithin(1, receipt.hold_micro + 1);
  });

  test.each([
    ["chat/500", 502, "provider_error"],
    ["chat/429", 429, "provider_rate_limited"],
    ["chat/400", 400, "invalid_input"],
    ["chat/html", 502, "provider_error"],
    ["chat/cut", 502, "provider_error"],
  ])("%s is a %d and not charged", async (model, status, code) => {
    for (const response_format of ["json", "text"]) {
      const answer = await refused({ model, response_format });
      expect([answer.status, answer.error.code]).toEqual([status, code]);
      expect(await receiptOf(answer.response)).toMatchObject({ charge_micro: 0 });
    }
  });

  test("falls back with its file, and is charged once by who listened", async () => {
    const response = await post({ model: "chat/falls" });
    expect(response.status).toBe(200);
    await response.text();
    expect(await receiptOf(response)).toMatchObject({ model: "chat/listen", charge_micro: BY_MINUTES_MICRO });
  });

  test.each(["chat/slow", "leaves/slow"])("who leaves a stream of %s pays for what was heard", async (model) => {
    const leaving = new AbortController();
    const response = await post({ model, stream: "true" }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    expect((await receiptOf(response)).charge_micro).toBeGreaterThan(INPUT_TOKENS);
  });

  // A file that says less than it holds: its vendor would hear all of it.
  test("a header that says less than its bytes can hold is held for by the bytes", async () => {
    const long = Buffer.concat([WAV, Buffer.alloc(2_000_000)]);
    const response = await post({ model: "chat/listen", file: new Blob([new Uint8Array(long)]) });
    await response.text();
    const receipt = await receiptOf(response);
    const seconds = Math.ceil((long.length - 44) / 48_000);
    expect(receipt.hold_micro).toBeWithin((seconds * PER_MINUTE_MICRO) / 60, ((seconds + 2) * PER_MINUTE_MICRO) / 60);
    expect(receipt.charge_micro).toBe((seconds * PER_MINUTE_MICRO) / 60);
  });

  test("sound that nobody can read is held for by its bytes at the lowest usual rate", async () => {
    const response = await post({ model: "chat/listen", file: new Blob([new Uint8Array(75_000).fill(7)]) });
    await response.text();
    const receipt = await receiptOf(response);
    expect(receipt.hold_micro).toBe((100 * PER_MINUTE_MICRO) / 60);
    expect(receipt.charge_micro).toBeLessThan(receipt.hold_micro);
  });

  test("an empty wallet is a 402", async () => {
    const poor = await gateway.newKey({ credit: "0.000010" });
    const response = await post({ model: "chat/listen" }, {}, poor);
    expect([response.status, ((await response.json()) as Refusal).error.code]).toEqual([402, "insufficient_balance"]);
  });

  test("a repeat with its key is the same whatever stands between its parts, and another file is another request", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await post({ model: "chat/listen", response_format: "srt" }, { headers });
    const text = await first.text();
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" } });
    const again = await post({ model: "chat/listen", response_format: "srt" }, { headers });
    expect([await again.text(), again.headers.get("idempotent-replayed")]).toEqual([text, "true"]);
    expect(again.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const other = new Blob([new Uint8Array(MP3)]);
    expect((await post({ model: "chat/listen", response_format: "srt", file: other }, { headers })).status).toBe(409);
  });
});

describe("requests", () => {
  test.each([
    [{ model: "" }, "model"],
    [{ file: new Blob([]) }, "file"],
    [{ response_format: "xml" }, "response_format"],
    [{ temperature: "2" }, "temperature"],
    [{ stream: "maybe" }, "stream"],
    [{ model: ["chat/listen", "chat/tokens"] }, "model"],
    [{ "timestamp_granularities[]": ["word", "letter"] }, "timestamp_granularities[]"],
  ] as [Record<string, Field>, string][])("%p is refused by its place", async (wrong, place) => {
    const { status, error } = await refused({ model: "chat/listen", ...wrong });
    expect([status, error.code, error.param]).toEqual([400, "invalid_input", place]);
  });

  test("JSON is refused with what is taken", async () => {
    const response = await post({}, { body: JSON.stringify({ model: "chat/listen" }) });
    const { error } = (await response.json()) as Refusal;
    expect([response.status, error.code]).toEqual([400, "invalid_input"]);
    expect(error.message).toContain("multipart/form-data");
  });

  test("a file that is too large is a 413", async () => {
    const { status, error } = await refused({
      model: "chat/listen",
      file: new Blob([new Uint8Array(25 * 2 ** 20 + 1)]),
    });
    expect([status, error.code, error.param]).toEqual([413, "request_too_large", "file"]);
  });

  test("a file of 20 MB arrives whole", async () => {
    const large = Buffer.concat([WAV.subarray(0, 40), Buffer.alloc(20_000_000, 3)]);
    large.writeUInt32LE(large.length - 44, 40);
    const response = await post({ model: "chat/listen", file: new Blob([new Uint8Array(large)]) });
    expect(response.status).toBe(200);
    const body = simulator.log.last?.body as { file: Uint8Array };
    expect(Buffer.from(body.file).equals(large)).toBe(true);
  });

  test("what the vendor refuses is a 400 in its words", async () => {
    const { status, error } = await refused({ model: "chat/tokens", response_format: "srt" });
    expect([status, error.param]).toEqual([400, "response_format"]);
  });

  test("a model of another kind is refused", async () => {
    const { status, error } = await refused({ model: "chat/chats" });
    expect([status, error.code]).toEqual([400, "model_not_supported_on_endpoint"]);
  });
});
