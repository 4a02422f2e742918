import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AskedPictures, pictureOf } from "../../../simulator/images/picture.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** Answers that are given again (docs/rulings.md 183) by every billed endpoint, whole and as the stream that its style has. */

const VENDOR_KEY = "sk-vendor-0123456789";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

function configuration(): string {
  const at = (protocol: string, path: string) => ({ protocol, base_url: simulator.url + path, api_key: VENDOR_KEY });
  const TEXT = { input: "100.00", output: "400.00" };
  const chat = { price: TEXT, upstream_model: "echo", max_completion_tokens: 4096, capabilities: { thinking: false } };
  return JSON.stringify({
    catalog: "none",
    vendors: {
      chat: at("chat-completions", "/v1"),
      rank: { ...at("rerank", "/v2"), dialect: "cohere" },
      gemini: at("gemini", "/v1beta"),
      decisions: at("decisions", "/v1"),
      systemone: at("systemone", "/v1"),
    },
    models: {
      "chat/echo": chat,
      "chat/goes-on": { ...chat, completions: true },
      "chat/embed": { kind: "embedding", price: { input: "200.00" }, upstream_model: "embed" },
      "chat/judge": { kind: "moderation", price: { input: "200.00" }, upstream_model: "moderator" },
      "chat/speak": { kind: "speech", price: { input_characters: "1500.00" }, upstream_model: "speak" },
      "chat/speak-tokens": {
        ...{ kind: "speech", price: { input: "20.00", output: "120.00" }, upstream_model: "speak-tokens" },
        max_completion_tokens: 8000,
      },
      "gemini/speak": {
        ...{ kind: "speech", price: { input: "20.00", output: "120.00" }, upstream_model: "speak-tokens" },
        max_completion_tokens: 8000,
      },
      "chat/draw": { kind: "image", price: { images: { default: "0.04" } }, upstream_model: "draw" },
      "chat/hear": { kind: "transcription", price: { input_minutes: "0.006" }, upstream_model: "listen" },
      "rank/rank": { kind: "rerank", price: { searches: "2.00" }, upstream_model: "rank" },
      "decisions/decider": { kind: "decision", price: { input: "100.00" }, upstream_model: "decider" },
      "systemone/decider": { kind: "decision", price: { input: "100.00" }, upstream_model: "decider" },
    },
    cache: { charge: 10 },
  });
}

const PICTURE: AskedPictures = { text: "one", width: 64, height: 64, quality: "low", count: 1, partial_images: 0 };
const IMAGE = { image_url: `data:image/png;base64,${pictureOf(PICTURE, 0, 1, 0).toString("base64")}` };
const SAY = [{ role: "user", content: "How far is it?" }];
const DOCUMENTS = ["Cats sleep all day.", "Trains wait.", "When it rains trains leave late."];
const PREDICATE = { type: "predicate", name: "a", instructions: "Is it about trains?" };

interface Asked {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The same in its other form, whole or as a stream, where a stored answer is given in both. */
  readonly other?: Omit<Asked, "other">;
}

const messages = { model: "chat/echo", max_tokens: 500, messages: SAY };
const VERSION = { "anthropic-version": "2023-06-01" };
const responses = { model: "chat/echo", input: "How far?", store: false };
const gemini = { contents: [{ role: "user", parts: [{ text: "How far is it?" }] }] };
const chat = { model: "chat/echo", messages: SAY };
const completion = { model: "chat/goes-on", prompt: "Once upon a time" };
const speech = { input: "The trains leave every hour.", voice: "coral" };
const decision = { input: DOCUMENTS.join(" "), questions: [PREDICATE] };

const ENDPOINTS: Readonly<Record<string, Asked>> = {
  "chat completions": {
    ...{ path: "/v1/chat/completions", body: chat },
    other: { path: "/v1/chat/completions", body: { ...chat, stream: true } },
  },
  responses: {
    ...{ path: "/v1/responses", body: responses },
    other: { path: "/v1/responses", body: { ...responses, stream: true } },
  },
  messages: {
    ...{ path: "/v1/messages", body: messages, headers: VERSION },
    other: { path: "/v1/messages", body: { ...messages, stream: true }, headers: VERSION },
  },
  generateContent: {
    ...{ path: "/v1beta/models/chat/echo:generateContent", body: gemini },
    other: { path: "/v1beta/models/chat/echo:streamGenerateContent?alt=sse", body: gemini },
  },
  completions: { path: "/v1/completions", body: completion },
  "completions as a stream": { path: "/v1/completions", body: { ...completion, stream: true } },
  embeddings: { path: "/v1/embeddings", body: { model: "chat/embed", input: ["one", "two"] } },
  "embeddings in base64": {
    ...{ path: "/v1/embeddings", body: { model: "chat/embed", input: "one", encoding_format: "base64" } },
  },
  moderations: { path: "/v1/moderations", body: { model: "chat/judge", input: "Is this kind?" } },
  "ranks of version 1": { path: "/v1/rerank", body: { model: "rank/rank", query: "trains", documents: DOCUMENTS } },
  "ranks of version 2": { path: "/v2/rerank", body: { model: "rank/rank", query: "cats", documents: DOCUMENTS } },
  "speech by characters": {
    ...{ path: "/v1/audio/speech", body: { model: "chat/speak", response_format: "wav", ...speech } },
  },
  "speech as events": {
    ...{ path: "/v1/audio/speech", body: { model: "chat/speak-tokens", stream_format: "sse", ...speech } },
  },
  "speech by Gemini": {
    ...{ path: "/v1/audio/speech", body: { model: "gemini/speak", response_format: "wav", ...speech } },
  },
  images: { path: "/v1/images/generations", body: { model: "chat/draw", prompt: "A lighthouse" } },
  "images as a stream": {
    path: "/v1/images/generations",
    body: { model: "chat/draw", prompt: "A lighthouse", stream: true, partial_images: 1 },
  },
  "edits of images": { path: "/v1/images/edits", body: { model: "chat/draw", prompt: "Add the sea", images: [IMAGE] } },
  decisions: { path: "/v1/decisions", body: { model: "decisions/decider", ...decision } },
  "decisions by systemone": { path: "/v1/decisions", body: { model: "systemone/decider", ...decision } },
  "decisions in systemone's shape": {
    path: "/v1/systemone",
    body: {
      ...{ model: "systemone/decider", state: DOCUMENTS.join(" ") },
      questions: { a: { type: "noul", instructions: "Is it about trains?" } },
    },
  },
  "a compaction": {
    path: "/v1/responses/compact",
    body: { model: "chat/echo", input: [{ role: "user", content: "How far is it?" }], store: false },
  },
};

/** Numbers that are the answer's own cost. */
const withoutCost = (bytes: Buffer) => bytes.toString("latin1").replace(/"cost":[\d.e-]+/g, "");

describe.each(["sqlite", "postgres"])("on %s", (kind) => {
  let gateway: Gateway;
  let key: TestKey;

  beforeAll(async () => {
    const database = kind === "postgres" ? { database: await freshDatabase() } : {};
    gateway = await startGateway({ config: configuration(), ...database });
    key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  async function send({ path, body, headers }: Asked, by = key) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${by.key}`, "x-camino-cache": "10m", ...headers },
      body: JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      cache: response.headers.get("x-camino-cache"),
      content_type: response.headers.get("content-type"),
      request_id: response.headers.get("x-camino-request-id") ?? response.headers.get("x-request-id") ?? "",
      bytes,
    };
  }

  test.each(Object.entries(ENDPOINTS))(
    "%s: the same bytes at a tenth, with no call of the vendor",
    async (_, asked) => {
      const first = await send(asked);
      expect([first.status, first.cache]).toEqual([200, "miss"]);
      const calls = simulator.log.total;
      const again = await send(asked);
      // Once more after it was written to the database.
      await Bun.sleep(300);
      const later = await send(asked);
      expect([again.cache, later.cache]).toEqual(["hit", "hit"]);
      expect(again.content_type).toBe(first.content_type);
      expect(withoutCost(again.bytes)).toBe(withoutCost(first.bytes));
      expect(later.bytes.equals(again.bytes)).toBe(true);
      const paid = await endedReceipt(gateway, key.key, first.request_id);
      const hits = await Promise.all([again, later].map((each) => endedReceipt(gateway, key.key, each.request_id)));
      expect(paid.charge_micro).toBeGreaterThan(0);
      for (const hit of hits) {
        expect(hit).toMatchObject({
          status: "settled",
          attempts: [],
          usage: paid.usage,
          price: { variant: "cache=hit" },
        });
        expect(hit.charge_micro).toBe(Math.ceil(paid.charge_micro / 10));
        expect(hit.hold_micro).toBe(hit.charge_micro);
      }
      if (asked.other !== undefined) {
        const other = await send(asked.other);
        expect([other.status, other.cache]).toEqual([200, "hit"]);
        expect(other.content_type).not.toBe(first.content_type);
      }
      expect(simulator.log.total).toBe(calls);
      const stranger = await send(asked, await gateway.newKey({ credit: "10" }));
      expect([stranger.status, stranger.cache]).toEqual([200, "miss"]);
    },
  );

  test.each([
    { what: "an edit", path: "/v1/images/edits", fields: { model: "chat/draw", prompt: "The sea" }, name: "image" },
    { what: "a transcription", path: "/v1/audio/transcriptions", fields: { model: "chat/hear" }, name: "file" },
  ])("$what as a form is not cached", async ({ path, fields, name }) => {
    const body = { model: "chat/speak", response_format: "wav", ...speech };
    const bytes =
      name === "file" ? (await send({ path: "/v1/audio/speech", body })).bytes : pictureOf(PICTURE, 0, 1, 0);
    const type = name === "file" ? "audio/wav" : "image/png";
    for (let calls = 0; calls < 2; calls += 1) {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append(name, new Blob([new Uint8Array(bytes)], { type }), name === "file" ? "a.wav" : "a.png");
      const headers = { authorization: `Bearer ${key.key}`, "x-camino-cache": "10m" };
      const answer = await fetch(`${gateway.url}${path}`, { method: "POST", headers, body: form });
      await answer.arrayBuffer();
      expect([answer.status, answer.headers.get("x-camino-cache")]).toEqual([200, "bypass"]);
    }
  });
});
