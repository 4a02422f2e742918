import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ListedModel } from "./listed-model.ts";
import { readVendorList } from "./read-vendor-list.ts";

/** Lists of models as vendors send them, with the members under test. */

const read = (document: unknown) => readVendorList(JSON.stringify(document));
const only = (document: unknown): ListedModel => read(document)?.models[0] ?? expect.unreachable();

const PLAIN: ListedModel = {
  upstream_model: "swift-1",
  display_name: null,
  created: null,
  context_length: null,
  max_completion_tokens: null,
  input_modalities: null,
  output_modalities: null,
  capabilities: {},
  is_chat: null,
  retires_on: null,
  price: null,
};

const SHAPES: [string, unknown, Partial<ListedModel>][] = [
  [
    "OpenAI",
    { object: "list", data: [{ id: "swift-1", object: "model", created: 1788220800, owned_by: "system" }] },
    { created: "2026-09-01" },
  ],
  [
    "Ollama behind OpenAI's path",
    { object: "list", data: [{ id: "qwen3:8b", object: "model", created: 1788220800, owned_by: "library" }] },
    { upstream_model: "qwen3:8b", created: "2026-09-01" },
  ],
  [
    "Ollama's own list",
    {
      models: [
        { name: "qwen3:8b", model: "qwen3:8b", modified_at: "2026-09-01T12:00:00Z", details: { family: "qwen3" } },
      ],
    },
    { upstream_model: "qwen3:8b" },
  ],
  [
    "vLLM",
    {
      object: "list",
      data: [{ id: "Qwen/Qwen3-32B", object: "model", root: "Qwen/Qwen3-32B", parent: null, max_model_len: 40960 }],
    },
    { upstream_model: "Qwen/Qwen3-32B", context_length: 40960 },
  ],
  [
    "llama.cpp, with its two lists",
    {
      models: [{ name: "m.gguf", model: "m.gguf" }],
      data: [{ id: "m.gguf", meta: { n_ctx: 8192, n_ctx_train: 131072 } }],
    },
    { upstream_model: "m.gguf", context_length: 8192 },
  ],
  [
    "Anthropic",
    {
      data: [
        {
          type: "model",
          id: "swift-1",
          display_name: "Swift 1",
          created_at: "2026-09-01T00:00:00Z",
          max_input_tokens: 200000,
          max_tokens: 64000,
          capabilities: {
            image_input: { supported: true },
            pdf_input: { supported: true },
            structured_outputs: { supported: true },
            thinking: { supported: true, types: { enabled: { supported: true } } },
          },
        },
      ],
      has_more: false,
      first_id: "swift-1",
      last_id: "swift-1",
    },
    {
      display_name: "Swift 1",
      created: "2026-09-01",
      context_length: 200000,
      max_completion_tokens: 64000,
      input_modalities: ["text", "image", "pdf"],
      capabilities: { json: true, thinking: true, reasoning: {} },
    },
  ],
  [
    "Gemini",
    {
      models: [
        {
          name: "models/swift-1",
          baseModelId: "swift-1",
          version: "1",
          displayName: "Swift 1",
          inputTokenLimit: 1048576,
          outputTokenLimit: 65536,
          supportedGenerationMethods: ["generateContent", "countTokens"],
          thinking: true,
        },
      ],
    },
    {
      display_name: "Swift 1",
      context_length: 1048576,
      max_completion_tokens: 65536,
      is_chat: true,
      capabilities: { thinking: true, reasoning: {} },
    },
  ],
  [
    "Mistral",
    {
      object: "list",
      data: [
        {
          id: "swift-1",
          object: "model",
          created: 1788220800,
          capabilities: { completion_chat: true, function_calling: true, vision: true, fine_tuning: false },
          name: "swift-1",
          max_context_length: 131072,
          deprecation: "2027-02-01T12:00:00Z",
        },
      ],
    },
    {
      created: "2026-09-01",
      context_length: 131072,
      input_modalities: ["text", "image"],
      capabilities: { tools: true },
      is_chat: true,
      retires_on: "2027-02-01",
    },
  ],
  [
    "OpenRouter",
    {
      data: [
        {
          id: "acme/swift-1",
          name: "Acme: Swift 1",
          created: 1788220800,
          context_length: 200000,
          architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
          pricing: {
            prompt: "0.000003",
            completion: "0.000015",
            request: "0",
            image: "0.0048",
            web_search: "0.01",
            internal_reasoning: "0",
            input_cache_read: "0.0000003",
            input_cache_write: "0.00000375",
          },
          top_provider: { context_length: 200000, max_completion_tokens: 64000, is_moderated: true },
          supported_parameters: ["max_tokens", "tools", "reasoning", "response_format"],
        },
      ],
    },
    {
      upstream_model: "acme/swift-1",
      display_name: "Acme: Swift 1",
      created: "2026-09-01",
      context_length: 200000,
      max_completion_tokens: 64000,
      input_modalities: ["text", "image", "pdf"],
      output_modalities: ["text"],
      capabilities: { tools: true, json: true, thinking: true, reasoning: {} },
      price: {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        calls: { web_search: 10_000_000 },
        tiers: [],
      },
    },
  ],
  [
    "Together AI, a list without an envelope",
    [
      {
        id: "acme/swift-1",
        object: "model",
        created: 1788220800,
        type: "chat",
        display_name: "Swift 1",
        context_length: 131072,
        pricing: { hourly: 0, input: 0.18, output: 0.59, base: 0, finetune: 0 },
      },
    ],
    {
      upstream_model: "acme/swift-1",
      display_name: "Swift 1",
      created: "2026-09-01",
      context_length: 131072,
      is_chat: true,
      price: { input: 180_000, output: 590_000, cache_read: null, cache_write: null, tiers: [] },
    },
  ],
  [
    "Groq",
    { object: "list", data: [{ id: "swift-1", active: true, context_window: 131072, max_completion_tokens: 32768 }] },
    { context_length: 131072, max_completion_tokens: 32768 },
  ],
  [
    "System One",
    { models: [{ name: "decider-1", description: "Decides.", release_date: "2026-09-01" }] },
    { upstream_model: "decider-1" },
  ],
];

describe("a vendor's own list of models", () => {
  test.each(SHAPES)("is read in the shape of %s", (_name, document, expected) => {
    expect(only(document)).toEqual({ ...PLAIN, ...expected });
    expect(read(document)?.next).toBeNull();
  });

  test.each([
    [{ data: [], has_more: true, last_id: "swift-1" }, { after_id: "swift-1" }],
    [{ data: [], has_more: false, last_id: "swift-1" }, null],
    [{ models: [], nextPageToken: "Cg==" }, { pageToken: "Cg==" }],
    [{ models: [], nextPageToken: "" }, null],
  ])("names the query of its next page: %j", (document, next) => {
    expect(read(document)?.next).toEqual(next);
  });

  test.each(["", "<html>", "null", '"a text"', "{}", '{"data":{}}', '{"error":{"message":"no"}}'])(
    "is not found in %j",
    (text) => expect(readVendorList(text)).toBeNull(),
  );

  test.each([
    ["text-embedding-3-small", false],
    ["whisper-1", false],
    ["omni-moderation-latest", false],
    ["gpt-4o-mini-tts", false],
    ["swift-1", null],
    ["embeddinator", null],
  ])("tells by the name whether %s answers conversations", (id, is_chat) => {
    expect(only({ data: [{ id }] }).is_chat).toBe(is_chat);
  });

  test("leaves out names that cannot stand in a request or a configuration, and says which", () => {
    const names = [
      "good",
      "good",
      " edge ",
      "two\nlines",
      "hidden\u202Etext",
      "x".repeat(257),
      "a${ANTHROPIC_API_KEY}",
    ];
    const found = read({ data: [...names.map((id) => ({ id })), { object: "model" }, 7, null] });
    expect(found?.models.map(({ upstream_model }) => upstream_model)).toEqual(["good"]);
    expect(found?.left_out).toHaveLength(8);
    expect(found?.left_out[0]).toBe('" edge ": is no name of a model');
  });

  test("takes no title in whose place a configuration would put a variable of the environment", () => {
    expect(only({ data: [{ id: "a", display_name: "Swift ${ANTHROPIC_API_KEY}" }] }).display_name).toBeNull();
    expect(only({ data: [{ id: "a", display_name: " Swift\u0000\n1 " }] }).display_name).toBe("Swift 1");
  });

  test.each([
    [{ prompt: "-1", completion: "-1" }],
    [{ prompt: "free", completion: "0" }],
    [{ prompt: "0.1" }],
    [{ input: 0, output: 0, hourly: 2 }],
    [{}],
    ["3"],
  ])("has no price in %j", (pricing) => {
    expect(only({ data: [{ id: "a", pricing }] }).price).toBeNull();
  });

  test("carries each digit of a price over", () => {
    const { price } = only({ data: [{ id: "a", pricing: { prompt: "0.00000000123456", completion: "2.5e-7" } }] });
    expect(price).toMatchObject({ input: 1235, output: 250_000 });
  });

  test("never fails on a document that no vendor would send", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        for (const wrapped of [text, `{"data":[${text}]}`, `{"models":${text}}`]) readVendorList(wrapped);
      }),
    );
  });
});

test("a name with half of a character is no model's, and a title is cut between characters", () => {
  expect(read({ data: [{ id: "swift\ud800" }] })?.models ?? []).toEqual([]);
  const { display_name } = only({ data: [{ id: "swift-1", display_name: `${"x".repeat(199)}🌊` }] });
  expect(display_name?.isWellFormed()).toBe(true);
});
