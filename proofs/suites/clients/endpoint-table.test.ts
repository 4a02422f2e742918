import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { CohereClientV2 } from "cohere-ai";
import OpenAI, { toFile } from "openai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { ASKED_IN } from "../../../src/catalog/vendors/asked-in.ts";
import type { ModelKind } from "../../../src/core/catalog/catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/**
 * docs/endpoints.md says which endpoint works with which official SDK on which protocol of vendors: this makes every call of it. To write the
 * file again: WRITE_ENDPOINTS=1 in front of this test.
 */

const DOCUMENT = join(import.meta.dir, "../../../docs/endpoints.md");
const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini", "bedrock-converse", "rerank"] as const;
type Protocol = (typeof PROTOCOLS)[number];
const KEY = "sk-vendor-0123456789";
const WAV = Buffer.concat(soundOf({ text: "one two three", format: "wav", events: false }));
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let simulator: Simulator;
let gateway: Gateway;
let sdks: Sdks;

interface Sdks {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly google: GoogleGenAI;
  readonly cohere: CohereClientV2;
}

/** The simulator's models, by kind. */
const UPSTREAM: Partial<Record<ModelKind, string>> = {
  ...{ chat: "echo", embedding: "embed", rerank: "rank", moderation: "moderator" },
  ...{ image: "draw-tokens", speech: "speak-tokens", transcription: "listen-tokens" },
};
const PRICES: Partial<Record<ModelKind, object>> = {
  ...{ embedding: { input: 1 }, rerank: { searches: 2 }, moderation: { input: 0 } },
};

beforeAll(async () => {
  simulator = await startSimulator({ api_key: KEY });
  const bases: Partial<Record<Protocol, string>> = {
    gemini: `${simulator.url}/v1beta`,
    "bedrock-converse": simulator.url,
    rerank: `${simulator.url}/v2`,
  };
  const vendors = PROTOCOLS.map((protocol) => [
    protocol,
    {
      protocol,
      base_url: bases[protocol] ?? simulator.base_url,
      api_key: KEY,
      ...(protocol === "rerank" && { dialect: "cohere" }),
    },
  ]);
  const models = PROTOCOLS.flatMap((protocol) =>
    Object.entries(UPSTREAM)
      .filter(([kind]) => ASKED_IN[kind as ModelKind].protocols.has(protocol))
      .map(([kind, upstream]) => [`${protocol}/${kind}`, modelOf(protocol, kind as ModelKind, upstream)]),
  );
  gateway = await startGateway({
    config: JSON.stringify({
      catalog: "none",
      vendors: Object.fromEntries(vendors),
      models: Object.fromEntries(models),
    }),
  });
  const { key: apiKey } = await gateway.newKey({ credit: "1000", rpm: 100_000 });
  sdks = {
    openai: new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 }),
    google: new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } }),
    cohere: new CohereClientV2({ environment: gateway.url, token: apiKey, maxRetries: 0 }),
  };
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

function modelOf(protocol: Protocol, kind: ModelKind, upstream: string): object {
  const bedrock = kind === "embedding" ? "amazon.titan-embed-text-v2:0." : "anthropic.";
  return {
    ...{ kind, price: PRICES[kind] ?? { input: 1, output: 4 } },
    upstream_model: protocol === "bedrock-converse" ? `${bedrock}${upstream}` : upstream,
    ...(kind === "chat" && { capabilities: { thinking: false } }),
    ...(kind === "chat" && protocol === "chat-completions" && { completions: true }),
    ...((kind === "image" || kind === "speech") && { max_completion_tokens: 8000 }),
  };
}

type Call = (sdk: Sdks, model: string) => Promise<unknown>;

/** An endpoint with its SDK: whole, and as a stream where the SDK has one. */
interface Row {
  readonly endpoint: string;
  readonly sdk: "openai" | "@anthropic-ai/sdk" | "@google/genai" | "cohere-ai";
  readonly kind: ModelKind;
  /** Where not every protocol of the kind. */
  readonly only?: readonly Protocol[];
  readonly whole: Call;
  readonly stream?: Call;
}

const messages = [{ role: "user" as const, content: "Hello!" }];
/** Reads a stream to its end; one without events is none. */
async function read(stream: AsyncIterable<unknown>): Promise<unknown> {
  const events = await Array.fromAsync(stream);
  if (events.length === 0) throw new Error("the stream brought nothing");
  return events;
}
const sound = () => toFile(WAV, "speech.wav");

const ROWS: readonly Row[] = [
  {
    ...{ endpoint: "POST /v1/chat/completions", sdk: "openai", kind: "chat" },
    whole: ({ openai }, model) => openai.chat.completions.create({ model, messages }),
    stream: async ({ openai }, model) => read(await openai.chat.completions.create({ model, messages, stream: true })),
  },
  {
    ...{ endpoint: "POST /v1/responses", sdk: "openai", kind: "chat" },
    whole: ({ openai }, model) => openai.responses.create({ model, input: "Hello!" }),
    stream: async ({ openai }, model) => read(await openai.responses.create({ model, input: "Hello!", stream: true })),
  },
  {
    ...{ endpoint: "POST /v1/responses/compact", sdk: "openai", kind: "chat" },
    whole: ({ openai }, model) => openai.responses.compact({ model, input: "Hello!" }),
  },
  {
    ...{ endpoint: "POST /v1/responses/input_tokens", sdk: "openai", kind: "chat" },
    whole: ({ openai }, model) => openai.responses.inputTokens.count({ model, input: "Hello!" }),
  },
  {
    ...{ endpoint: "POST /v1/messages", sdk: "@anthropic-ai/sdk", kind: "chat" },
    whole: ({ anthropic }, model) => anthropic.messages.create({ model, messages, max_tokens: 100 }),
    stream: async ({ anthropic }, model) => read(anthropic.messages.stream({ model, messages, max_tokens: 100 })),
  },
  {
    ...{ endpoint: "POST /v1/messages/count_tokens", sdk: "@anthropic-ai/sdk", kind: "chat" },
    whole: ({ anthropic }, model) => anthropic.messages.countTokens({ model, messages }),
  },
  {
    ...{ endpoint: "POST /v1beta/models/{model}:generateContent", sdk: "@google/genai", kind: "chat" },
    whole: ({ google }, model) => google.models.generateContent({ model, contents: "Hello!" }),
    stream: async ({ google }, model) => read(await google.models.generateContentStream({ model, contents: "Hello!" })),
  },
  {
    ...{ endpoint: "POST /v1beta/models/{model}:countTokens", sdk: "@google/genai", kind: "chat" },
    whole: ({ google }, model) => google.models.countTokens({ model, contents: "Hello!" }),
  },
  {
    ...{ endpoint: "POST /v1/completions", sdk: "openai", kind: "chat", only: ["chat-completions"] },
    whole: ({ openai }, model) => openai.completions.create({ model, prompt: "Once" }),
    stream: async ({ openai }, model) => read(await openai.completions.create({ model, prompt: "Once", stream: true })),
  },
  {
    ...{ endpoint: "POST /v1/embeddings", sdk: "openai", kind: "embedding" },
    whole: ({ openai }, model) => openai.embeddings.create({ model, input: "one" }),
  },
  {
    ...{ endpoint: "POST /v2/rerank", sdk: "cohere-ai", kind: "rerank" },
    whole: ({ cohere }, model) => cohere.rerank({ model, query: "one", documents: ["one", "two"] }),
  },
  {
    ...{ endpoint: "POST /v1/moderations", sdk: "openai", kind: "moderation" },
    whole: ({ openai }, model) => openai.moderations.create({ model, input: "one" }),
  },
  {
    ...{ endpoint: "POST /v1/images/generations", sdk: "openai", kind: "image" },
    whole: ({ openai }, model) => openai.images.generate({ model, prompt: "one" }),
    stream: async ({ openai }, model) => read(await openai.images.generate({ model, prompt: "one", stream: true })),
  },
  {
    ...{ endpoint: "POST /v1/images/edits", sdk: "openai", kind: "image" },
    whole: async ({ openai }, model) =>
      openai.images.edit({ model, prompt: "one", image: await toFile(PIXEL, "one.png", { type: "image/png" }) }),
  },
  {
    ...{ endpoint: "POST /v1/audio/speech", sdk: "openai", kind: "speech" },
    whole: async ({ openai }, model) =>
      (await openai.audio.speech.create({ model, input: "one", voice: "coral", response_format: "wav" })).arrayBuffer(),
  },
  {
    ...{ endpoint: "POST /v1/audio/transcriptions", sdk: "openai", kind: "transcription" },
    whole: async ({ openai }, model) => openai.audio.transcriptions.create({ model, file: await sound() }),
    stream: async ({ openai }, model) =>
      read(await openai.audio.transcriptions.create({ model, file: await sound(), stream: true })),
  },
  {
    ...{ endpoint: "POST /v1/audio/translations", sdk: "openai", kind: "transcription" },
    whole: async ({ openai }, model) => openai.audio.translations.create({ model, file: await sound() }),
  },
];

async function cellOf({ kind, only, whole, stream }: Row, protocol: Protocol): Promise<string> {
  const model = `${protocol}/${kind}`;
  if (!ASKED_IN[kind].protocols.has(protocol)) return "–";
  if (only !== undefined && !only.includes(protocol)) {
    const refused: unknown = await whole(sdks, model).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ status: 400 });
    return "–";
  }
  expect(await whole(sdks, model)).toBeTruthy();
  if (stream === undefined) return "✓";
  const streamed: unknown = await Promise.resolve(stream(sdks, model));
  expect(streamed).toBeTruthy();
  return "✓ ✓";
}

const HEAD = `# Endpoints

Every endpoint with its official SDK, unmodified, by the protocol that the vendor speaks. A cell has a mark for the whole answer, and one for the
stream where the SDK has one: \`✓\` works; at a vendor of a protocol with \`–\` there are no models for the endpoint. Made by
\`proofs/suites/clients/endpoint-table.test.ts\`, which calls them all; programs are in [clients](clients.md), features of conversations in
[conformance](conformance.md).
`;

test("docs/endpoints.md says what works", async () => {
  const { dependencies } = await Bun.file(join(import.meta.dir, "../../package.json")).json();
  const lines: string[] = [];
  for (const row of ROWS) {
    const cells: string[] = [];
    for (const protocol of PROTOCOLS) cells.push(await cellOf(row, protocol));
    lines.push(`| \`${row.endpoint}\` | ${row.sdk} ${dependencies[row.sdk]} | ${cells.join(" | ")} |`);
  }
  const names = ["chat completions", "responses", "messages", "Gemini", "Bedrock Converse", "rerank"];
  const head = [`| Endpoint | SDK | ${names.join(" | ")} |`, `|---|---|${names.map(() => "---|").join("")}`];
  const text = `${HEAD}\n${[...head, ...lines].join("\n")}\n`;
  if (process.env.WRITE_ENDPOINTS === "1") await Bun.write(DOCUMENT, text);
  expect(await Bun.file(DOCUMENT).text()).toBe(text);
}, 60_000);
