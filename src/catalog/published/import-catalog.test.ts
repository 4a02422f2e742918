import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { diffCatalog, formatDiff } from "./diff-catalog.ts";
import { importCatalog, PublishedCatalogError } from "./import-catalog.ts";

const load = (
  file_text: string,
  env: Record<string, string> = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", TINY_KEY: "k" },
) => loadConfiguration({ file_text, file_name: "imported.yaml", env });

/** models.dev's api.json in its published form, reduced to the fields under test. */
const MODELS_DEV = `{
  "openai": {
    "id": "openai", "name": "OpenAI", "env": ["OPENAI_API_KEY"], "npm": "@ai-sdk/openai", "doc": "https://example.org",
    "models": {
      "gpt-big": {
        "id": "gpt-big", "name": "GPT: Big", "attachment": true, "reasoning": true, "temperature": true, "tool_call": true,
        "structured_output": true, "release_date": "2026-04", "last_updated": "2026-04-23",
        "modalities": { "input": ["text", "image"], "output": ["text"] }, "open_weights": false,
        "reasoning_options": [{ "type": "effort", "values": ["high", "none", "low"] }, { "type": "budget_tokens", "min": 1024 }],
        "cost": { "input": 0.1875, "output": 1.125, "cache_read": 0.075, "cache_write": 0.234375, "input_audio": 6.76,
          "tiers": [{ "tier": { "type": "context", "size": 272000 }, "input": 0.4, "output": 2 }] },
        "limit": { "context": 1050000, "input": 922000, "output": 128000 }
      },
      "gpt-plain": {
        "name": "GPT Plain", "reasoning": false, "tool_call": false, "structured_output": false, "release_date": "2025-01-31",
        "modalities": { "input": ["text"], "output": ["text"] }, "limit": { "context": 0, "output": 4096 },
        "cost": { "input": 2, "output": 4, "context_over_200k": { "input": 3, "output": 5 } }
      },
      "text-embedding-9": { "name": "E", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 1, "output": 0 } },
      "gpt-image-9": { "name": "I", "modalities": { "input": ["text"], "output": ["image"] }, "cost": { "input": 1, "output": 1 } },
      "speak-9": { "name": "S", "modalities": { "input": ["text"], "output": ["audio"] }, "cost": { "input": 0.6, "output": 12 } },
      "hear-9": { "name": "H", "modalities": { "input": ["audio"], "output": ["text"] }, "cost": { "input": 2.5, "output": 10 } },
      "hear-by-minute": { "name": "M", "modalities": { "input": ["audio"], "output": ["text"] }, "cost": { "input": 0, "output": 0 } },
      "rerank-9": { "name": "R", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 1, "output": 0 } },
      "film-9": { "name": "V", "modalities": { "input": ["text"], "output": ["video"] }, "cost": { "input": 1, "output": 1 } },
      "gpt-free": { "name": "F", "modalities": { "input": ["text"], "output": ["text"] } },
      "gpt-old": { "name": "O", "status": "deprecated", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 1, "output": 1 } },
      "gpt-fine": { "name": "N", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 0.00000001, "output": 1 } }
    }
  },
  "tiny": {
    "id": "tiny", "name": "Tiny # Co", "env": ["TINY_KEY"], "npm": "@ai-sdk/openai-compatible", "api": "https://api.tiny.example/v1/",
    "models": { "org/t:1": { "name": "T", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 1, "output": 1 } } }
  },
  "cloud": {
    "id": "cloud", "name": "Cloud", "env": ["CLOUD_KEY"], "npm": "@ai-sdk/cloud",
    "models": { "c": { "name": "C", "modalities": { "input": ["text"], "output": ["text"] }, "cost": { "input": 1, "output": 1 } } }
  }
}`;

describe("models.dev's list", () => {
  const imported = importCatalog(MODELS_DEV);
  const { models, vendors } = load(imported.yaml);

  test("becomes a configuration that is accepted", () => {
    expect([...models.keys()]).toEqual([
      ...["openai/gpt-big", "openai/gpt-plain", "openai/text-embedding-9", "openai/gpt-image-9"],
      ...["openai/speak-9", "openai/hear-9", "openai/gpt-fine", "tiny/org/t:1"],
    ]);
    expect([imported.vendor_count, imported.model_count]).toEqual([2, 8]);
  });

  test("knows models of other kinds by what they take and make, and embedders by their names", () => {
    const kinds = ["text-embedding-9", "gpt-image-9", "speak-9", "hear-9"].map((name) => models.get(`openai/${name}`));
    expect(kinds.map((model) => model?.kind)).toEqual(["embedding", "image", "speech", "transcription"]);
    expect(kinds.map((model) => model?.prices[0])).toMatchObject([
      { input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 0 },
      { input_micro_per_mtok: 1_000_000, output_micro_per_mtok: 1_000_000 },
      { input_micro_per_mtok: 600_000, output_micro_per_mtok: 12_000_000 },
      { input_micro_per_mtok: 2_500_000, output_micro_per_mtok: 10_000_000 },
    ]);
  });

  test("keeps every fact of a model", () => {
    expect(models.get("openai/gpt-big")).toMatchObject({
      display_name: "GPT: Big",
      created: Date.UTC(2026, 3, 1) / 1000,
      context_length: 1_050_000,
      max_completion_tokens: 128_000,
      input_modalities: ["text", "image"],
      capabilities: {
        tools: true,
        json: true,
        vision: true,
        thinking: true,
        // The level `none` becomes the toggle.
        reasoning: { toggle: true, effort: ["low", "high"], budget_tokens: { min: 1024 } },
      },
      prices: [
        {
          input_micro_per_mtok: 187_500,
          output_micro_per_mtok: 1_125_000,
          cache_read_micro_per_mtok: 75_000,
          cache_write_micro_per_mtok: 234_375,
          parts_micro_per_mtok: { input_audio: 6_760_000 },
          tiers: [{ above_input_tokens: 272_000, input_micro_per_mtok: 400_000, output_micro_per_mtok: 2_000_000 }],
        },
      ],
    });
    expect(models.get("openai/gpt-plain")).toMatchObject({
      context_length: null,
      capabilities: { tools: false, json: false, thinking: false },
      prices: [{ tiers: [{ above_input_tokens: 200_000, input_micro_per_mtok: 3_000_000 }] }],
    });
  });

  test("brings vendors that Camino does not know, with their addresses", () => {
    expect(vendors.get("tiny")).toMatchObject({
      name: "Tiny # Co",
      api_key: "k",
      endpoints: [{ protocol: "chat-completions", base_url: "https://api.tiny.example/v1" }],
    });
  });

  test("names everything that it does not carry over", () => {
    expect(imported.left_out).toEqual([
      "openai/hear-by-minute: has no price",
      "openai/rerank-9: is a kind of model that is not asked of openai: rerank",
      "openai/film-9: makes what Camino has no kind of models for: video",
      "openai/gpt-free: has no price",
      "openai/gpt-old: is deprecated",
      "cloud: speaks no protocol that Camino calls (@ai-sdk/cloud); its models are left out",
    ]);
  });

  test("may be one vendor's part of it, and may be limited to some vendors", () => {
    const one = JSON.stringify(JSON.parse(MODELS_DEV).tiny);
    expect([...load(importCatalog(one).yaml).models.keys()]).toEqual(["tiny/org/t:1"]);
    expect([...load(importCatalog(MODELS_DEV, ["openai"]).yaml).vendors.keys()]).toEqual(["openai"]);
  });
});

/** LiteLLM's list in its published form, reduced to the fields under test. */
const LITELLM = `{
  "sample_spec": { "litellm_provider": "one of the providers", "mode": "one of: chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0 },
  "claude-x": {
    "litellm_provider": "anthropic", "mode": "chat", "max_input_tokens": 200000, "max_output_tokens": 64000, "max_tokens": 64000,
    "input_cost_per_token": 3e-06, "output_cost_per_token": 0.000015, "cache_read_input_token_cost": 3e-07,
    "cache_creation_input_token_cost": 3.75e-06,
    "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
    "cache_read_input_token_cost_above_200k_tokens": 6e-07,
    "cache_creation_input_token_cost_above_1hr": 6e-06, "search_context_cost_per_query": { "search_context_size_low": 0.01 },
    "supports_function_calling": true, "supports_vision": true, "supports_response_schema": true, "supports_reasoning": true
  },
  "gemini/gemini-x": {
    "litellm_provider": "gemini", "mode": "chat", "max_input_tokens": 1048576, "max_output_tokens": 65535,
    "input_cost_per_token": 1.25e-07, "output_cost_per_token": 1e-06, "input_cost_per_token_above_128k_tokens": 2.5e-07,
    "supports_audio_input": true
  },
  "together_ai/org/m": { "litellm_provider": "together_ai", "mode": "chat", "input_cost_per_token": 1.8e-07, "output_cost_per_token": 1.8e-07 },
  "rounded": { "litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 7.999999999999999e-07, "output_cost_per_token": 1e-06 },
  "embed": { "litellm_provider": "openai", "mode": "embedding", "max_input_tokens": 8191, "input_cost_per_token": 1e-07, "output_cost_per_token": 0.0 },
  "omni-moderation": { "litellm_provider": "openai", "mode": "moderation", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0 },
  "tts-x": { "litellm_provider": "openai", "mode": "audio_speech", "input_cost_per_character": 1.5e-05 },
  "speak-x": { "litellm_provider": "openai", "mode": "audio_speech", "input_cost_per_token": 6e-07, "output_cost_per_token": 1e-05, "output_cost_per_audio_token": 1.2e-05, "output_cost_per_second": 0.00025 },
  "whisper-x": { "litellm_provider": "openai", "mode": "audio_transcription", "input_cost_per_second": 0, "output_cost_per_second": 0.0001 },
  "hear-x": { "litellm_provider": "openai", "mode": "audio_transcription", "input_cost_per_second": 7.167e-05, "output_cost_per_second": 0.0 },
  "transcribe-x": { "litellm_provider": "openai", "mode": "audio_transcription", "input_cost_per_token": 2.5e-06, "input_cost_per_audio_token": 6e-06, "output_cost_per_token": 1e-05 },
  "draw-x": { "litellm_provider": "openai", "mode": "image_generation", "input_cost_per_image": 0.04 },
  "paint-x": { "litellm_provider": "openai", "mode": "image_generation", "input_cost_per_token": 5e-06, "output_cost_per_token": 0, "output_cost_per_image_token": 4e-05 },
  "hd/1024-x-1024/draw-x": { "litellm_provider": "openai", "mode": "image_generation", "input_cost_per_pixel": 1e-08 },
  "pixel-x": { "litellm_provider": "openai", "mode": "image_generation", "input_cost_per_pixel": 1e-08, "output_cost_per_pixel": 0.0 },
  "rerank-x": { "litellm_provider": "cohere", "mode": "rerank", "max_input_tokens": 4096, "input_cost_per_query": 0.002, "input_cost_per_token": 0.0, "output_cost_per_token": 0.0 },
  "rank-x": { "litellm_provider": "openai", "mode": "rerank", "input_cost_per_query": 0.002 },
  "film-x": { "litellm_provider": "openai", "mode": "video_generation", "output_cost_per_video_per_second": 0.1 },
  "unpriced": { "litellm_provider": "openai", "mode": "chat" },
  "bedrock-m": { "litellm_provider": "bedrock", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06 }
}`;

describe("LiteLLM's list", () => {
  const imported = importCatalog(LITELLM);
  const env = {
    ANTHROPIC_API_KEY: "k",
    GEMINI_API_KEY: "k",
    TOGETHER_API_KEY: "k",
    OPENAI_API_KEY: "k",
    CO_API_KEY: "k",
    COHERE_API_KEY: "k",
  };
  const { models } = load(imported.yaml, env);

  test("becomes a configuration that is accepted, with Camino's names for the vendors", () => {
    expect([...models.keys()]).toEqual([
      "anthropic/claude-x",
      "google/gemini-x",
      "together/org/m",
      "openai/rounded",
      ...[
        "openai/embed",
        "openai/omni-moderation",
        "openai/tts-x",
        "openai/speak-x",
        "openai/whisper-x",
        "openai/hear-x",
      ],
      ...["openai/transcribe-x", "openai/draw-x", "openai/paint-x", "cohere/rerank-x"],
    ]);
  });

  test("keeps prices exactly, from the text and not from floats", () => {
    expect(models.get("anthropic/claude-x")?.prices[0]).toMatchObject({
      input_micro_per_mtok: 3_000_000,
      output_micro_per_mtok: 15_000_000,
      cache_read_micro_per_mtok: 300_000,
      cache_write_micro_per_mtok: 3_750_000,
      tiers: [
        {
          above_input_tokens: 200_000,
          input_micro_per_mtok: 6_000_000,
          output_micro_per_mtok: 22_500_000,
          cache_read_micro_per_mtok: 600_000,
          cache_write_micro_per_mtok: 6_000_000,
        },
      ],
    });
    expect(models.get("anthropic/claude-x")?.prices[0]).toMatchObject({
      parts_micro_per_mtok: { cache_write_1h: 6_000_000 },
      calls_micro_per_kcall: { web_search: 10_000_000 },
    });
    // A price with the remainder of a division is rounded to the nearest micro unit.
    expect(models.get("openai/rounded")?.prices[0]?.input_micro_per_mtok).toBe(800_000);
    // A tier that prices only input keeps the output price of the model.
    expect(models.get("google/gemini-x")?.prices[0]?.tiers).toMatchObject([
      { above_input_tokens: 128_000, input_micro_per_mtok: 250_000, output_micro_per_mtok: 1_000_000 },
    ]);
  });

  test.each<[string, string, object]>([
    ["openai/embed", "embedding", { input_micro_per_mtok: 100_000, output_micro_per_mtok: 0 }],
    ["openai/omni-moderation", "moderation", { input_micro_per_mtok: 0 }],
    ["openai/tts-x", "speech", { units_micro: { input_characters: 15_000_000 } }],
    [
      "openai/speak-x",
      "speech",
      {
        input_micro_per_mtok: 600_000,
        output_micro_per_mtok: 10_000_000,
        parts_micro_per_mtok: { output_audio: 12_000_000 },
      },
    ],
    ["openai/whisper-x", "transcription", { units_micro: { input_minutes: 6000 } }],
    ["openai/hear-x", "transcription", { units_micro: { input_minutes: 4300 } }],
    [
      "openai/transcribe-x",
      "transcription",
      { input_micro_per_mtok: 2_500_000, parts_micro_per_mtok: { input_audio: 6_000_000 } },
    ],
    ["openai/draw-x", "image", { units_micro: { images: 40_000 } }],
    [
      "openai/paint-x",
      "image",
      { input_micro_per_mtok: 5_000_000, parts_micro_per_mtok: { output_image: 40_000_000 } },
    ],
    ["cohere/rerank-x", "rerank", { units_micro: { searches: 2_000_000 } }],
  ])("has %s as %s, at the price of its own unit", (id, kind, price) => {
    expect(models.get(id)).toMatchObject({ kind: kind as "speech", prices: [price] });
  });

  test("keeps limits and capabilities; a flag that is absent is false there", () => {
    expect(models.get("anthropic/claude-x")).toMatchObject({
      context_length: 200_000,
      max_completion_tokens: 64_000,
      capabilities: { tools: true, json: true, vision: true, thinking: true, reasoning: {} },
    });
    expect(models.get("google/gemini-x")).toMatchObject({
      input_modalities: ["text", "audio"],
      capabilities: { tools: false, json: false, vision: false, thinking: false },
    });
  });

  test("names everything that it does not carry over", () => {
    expect(imported.left_out).toEqual([
      "speak-x: these prices are not carried over: output_cost_per_second",
      "hd/1024-x-1024/draw-x: is a size of a model",
      "pixel-x: has no price",
      "rank-x: is a kind of model that is not asked of openai: rerank",
      "film-x: is of a kind that Camino does not call: video_generation",
      "unpriced: has no price",
      "bedrock-m: has a vendor that Camino does not know: bedrock",
    ]);
  });
});

describe("anything else", () => {
  test.each(["", "nonsense", "[]", "{}", '{ "a": 1 }', '{ "a": { "b": 1 } }'])(
    "%j is refused with what was expected",
    (text) => {
      expect(() => importCatalog(text)).toThrow(PublishedCatalogError);
      expect(() => importCatalog(text)).toThrow("models.dev's api.json");
    },
  );
});

describe("the difference from a configuration", () => {
  const configuration = load(`
catalog: none
vendors: { openai: {} }
models:
  openai/gpt-big:
    price: [{ input: 0.1, output: 1.125 }, { from: 2026-06-01, input: 0.2, output: 1.125, cache_read: 0.075, cache_write: 0.234375 }]
  openai/gpt-plain: { price: { input: 2, output: 4, tiers: [{ above_input_tokens: 200000, input: 3, output: 5 }] } }
  openai/gpt-gone: { price: { input: 1, output: 1 } }
`);
  const published = MODELS_DEV.replace('"gpt-old"', '"gpt-new"').replace('"status": "deprecated", ', "");

  test("names a price by its unit", () => {
    const before = load(
      "catalog: none\nvendors: { openai: {} }\nmodels: { openai/tts-x: { kind: speech, price: { input_characters: 30 } } }\n",
    );
    expect(diffCatalog(before, LITELLM, 0).repriced).toEqual([
      { model: "openai/tts-x", before: "input characters 30.00 a million", after: "input characters 15.00 a million" },
    ]);
  });

  test("is what was added, removed and priced anew, at the price of the day", () => {
    const diff = diffCatalog(configuration, published, Date.UTC(2026, 10, 21));
    expect(diff).toMatchObject({
      added: [
        ...["openai/text-embedding-9", "openai/gpt-image-9", "openai/speak-9", "openai/hear-9"],
        ...["openai/gpt-new", "openai/gpt-fine"],
      ],
      removed: ["openai/gpt-gone"],
      repriced: [
        {
          model: "openai/gpt-big",
          before: "input 0.20, output 1.125, cache read 0.075, cache write 0.234375, input audio 0.20",
          after:
            "input 0.1875, output 1.125, cache read 0.075, cache write 0.234375, input audio 6.76; above 272000: input 0.40, output 2.00, cache read 0.40, cache write 0.40, input audio 0.40",
        },
      ],
      other_vendors: ["tiny"],
    });
    expect(formatDiff(diff).split("\n").slice(4, 8)).toEqual([
      "+ openai/gpt-new",
      "+ openai/gpt-fine",
      "- openai/gpt-gone",
      "~ openai/gpt-big",
    ]);
  });

  test("is empty for a configuration that was imported from the list", () => {
    const diff = diffCatalog(load(importCatalog(MODELS_DEV).yaml), MODELS_DEV, 0);
    expect([diff.added, diff.removed, diff.repriced]).toEqual([[], [], []]);
    expect(formatDiff(diff)).toBe("No differences.\n");
  });
});
