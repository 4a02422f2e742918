import { type ChargeRow, events, json, speaks, TEXT } from "./charge-rows.ts";

/** A million tokens for 2: so each of 400 costs 2 micro units. */
const EMBEDDING = { kind: "embedding", price: { input: 2 } };
const embedded = { path: "/v1/embeddings", body: { input: TEXT } };
const RANKING = { query: "two", documents: [TEXT, "three"] };
const ranks = (dialect: string) => ({ protocol: "rerank", dialect });
const ranked = { path: "/v1/rerank", body: RANKING };
const RESULTS = [
  { index: 0, relevance_score: 0.9 },
  { index: 1, relevance_score: 0.1 },
];

/** The rows of all endpoints beside those of text. */
export const OTHERS: readonly ChargeRow[] = [
  {
    ...{
      name: "input, embeddings of chat completions",
      vendor: speaks("chat-completions"),
      model: EMBEDDING,
      ...embedded,
    },
    stage: json({
      object: "list",
      model: "m",
      data: [{ object: "embedding", index: 0, embedding: [0.5, 0.5] }],
      usage: { prompt_tokens: 400, total_tokens: 400 },
    }),
    charge_micro: 400 * 2,
  },
  {
    ...{ name: "input, embeddings of Gemini", vendor: speaks("gemini"), model: EMBEDDING, ...embedded },
    stage: json({ embeddings: [{ values: [0.5, 0.5] }], usageMetadata: { promptTokenCount: 400 } }),
    charge_micro: 400 * 2,
  },
  {
    ...{ name: "input, embeddings of Bedrock", vendor: speaks("bedrock-converse"), ...embedded },
    model: { ...EMBEDDING, upstream_model: "amazon.titan-embed-text-v2:0" },
    stage: json({ embedding: [0.5, 0.5], inputTextTokenCount: 400 }),
    charge_micro: 400 * 2,
  },
  {
    ...{ name: "searches, Cohere's rankings", vendor: ranks("cohere"), ...ranked },
    model: { kind: "rerank", price: { searches: 2 } },
    stage: json({ id: "r", results: RESULTS, meta: { billed_units: { search_units: 1 } } }),
    charge_micro: 2000,
  },
  {
    ...{
      name: "input, Jina's rankings",
      vendor: ranks("jina"),
      model: { kind: "rerank", price: { input: 3 } },
      ...ranked,
    },
    stage: json({ model: "m", results: RESULTS, usage: { total_tokens: 400, prompt_tokens: 400 } }),
    charge_micro: 400 * 3,
  },
  {
    ...{
      name: "input, Voyage's rankings",
      vendor: ranks("voyage"),
      model: { kind: "rerank", price: { input: 3 } },
      ...ranked,
    },
    stage: json({ object: "list", data: RESULTS, model: "m", usage: { total_tokens: 400 } }),
    charge_micro: 400 * 3,
  },
  {
    ...{
      name: "nothing, moderations",
      vendor: speaks("chat-completions"),
      path: "/v1/moderations",
      body: { input: TEXT },
    },
    model: { kind: "moderation", price: { input: 0 } },
    stage: json({
      id: "modr-1",
      model: "m",
      results: [{ flagged: false, categories: {}, category_scores: {}, category_applied_input_types: {} }],
    }),
    charge_micro: 0,
  },
  {
    ...{ name: "images, chat completions, whole", vendor: speaks("chat-completions"), path: "/v1/images/generations" },
    ...{ model: { kind: "image", price: { images: 0.04 } }, body: { prompt: "a cat", n: 2 } },
    stage: json({ created: 1, data: [{ b64_json: "aGk=" }, { b64_json: "aGk=" }] }),
    charge_micro: 2 * 40_000,
  },
  {
    ...{ name: "images by size and quality, chat completions, whole", vendor: speaks("chat-completions") },
    ...{ path: "/v1/images/generations", body: { prompt: "a cat", size: "1024x1024", quality: "high" } },
    model: { kind: "image", price: { images: { default: 0.04, "1024x1024/high": 0.16 } } },
    stage: json({ created: 1, data: [{ b64_json: "aGk=" }] }),
    charge_micro: 160_000,
  },
  {
    ...{
      name: "tokens of images, chat completions, whole",
      vendor: speaks("chat-completions"),
      path: "/v1/images/generations",
    },
    ...{ model: drawsByTokens(), body: { prompt: TEXT } },
    stage: json({
      created: 1,
      data: [{ b64_json: "aGk=" }],
      usage: {
        input_tokens: 400,
        output_tokens: 1056,
        total_tokens: 1456,
        input_tokens_details: { text_tokens: 400, image_tokens: 0 },
      },
    }),
    charge_micro: 400 * 5 + 1056 * 40,
  },
  {
    ...{
      name: "tokens of images, chat completions, streamed",
      vendor: speaks("chat-completions"),
      path: "/v1/images/generations",
    },
    ...{ model: drawsByTokens(), body: { prompt: TEXT, stream: true, partial_images: 1 } },
    stage: events(
      [
        {
          type: "image_generation.partial_image",
          b64_json: "aGk=",
          partial_image_index: 0,
          size: "1024x1024",
          quality: "low",
          background: "opaque",
          output_format: "png",
          created_at: 1,
        },
      ],
      {
        type: "image_generation.completed",
        b64_json: "aGk=",
        size: "1024x1024",
        quality: "low",
        background: "opaque",
        output_format: "png",
        created_at: 1,
        usage: {
          input_tokens: 400,
          output_tokens: 1056,
          total_tokens: 1456,
          input_tokens_details: { text_tokens: 400, image_tokens: 0 },
        },
      },
    ),
    charge_micro: 400 * 5 + 1056 * 40,
  },
  {
    ...{ name: "tokens of images, Gemini, whole", vendor: speaks("gemini"), path: "/v1/images/generations" },
    ...{ model: drawsByTokens(), body: { prompt: TEXT } },
    stage: json({
      candidates: [
        {
          index: 0,
          finishReason: "STOP",
          content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: PNG() } }] },
        },
      ],
      usageMetadata: {
        promptTokenCount: 400,
        candidatesTokenCount: 1290,
        totalTokenCount: 1690,
        candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1290 }],
      },
    }),
    charge_micro: 400 * 5 + 1290 * 40,
  },
  {
    ...{ name: "characters, chat completions, sound", vendor: speaks("chat-completions"), path: "/v1/audio/speech" },
    ...{
      model: { kind: "speech", price: { input_characters: 15 } },
      body: { input: "a".repeat(1000), voice: "coral" },
    },
    stage: { type: "audio/mpeg", pieces: ["sound", "sound"] },
    charge_micro: 1000 * 15,
  },
  {
    ...{
      name: "tokens of speech, chat completions, events",
      vendor: speaks("chat-completions"),
      path: "/v1/audio/speech",
    },
    model: { kind: "speech", price: { input: 2, output: 12 }, max_completion_tokens: 8000 },
    body: { input: TEXT, voice: "coral", stream_format: "sse" },
    stage: events([{ type: "speech.audio.delta", audio: "aGk=" }], {
      type: "speech.audio.done",
      usage: { input_tokens: 400, output_tokens: 300, total_tokens: 700 },
    }),
    charge_micro: 400 * 2 + 300 * 12,
  },
  {
    ...{
      name: "minutes, chat completions, whole",
      vendor: speaks("chat-completions"),
      path: "/v1/audio/transcriptions",
    },
    ...{ model: { kind: "transcription", price: { input_minutes: 0.006 } }, body: {}, form: true },
    stage: json({ text: "Hi", usage: { type: "duration", seconds: 2 } }),
    charge_micro: (2 * 6000) / 60,
  },
  {
    ...{
      name: "tokens of sound, chat completions, whole",
      vendor: speaks("chat-completions"),
      path: "/v1/audio/transcriptions",
    },
    ...{ model: hearsByTokens(), body: {}, form: true },
    stage: json({
      text: "Hi",
      usage: {
        type: "tokens",
        input_tokens: 30,
        output_tokens: 5,
        total_tokens: 35,
        input_token_details: { text_tokens: 0, audio_tokens: 30 },
      },
    }),
    charge_micro: 30 * 6 + 5 * 10,
  },
  {
    ...{
      name: "tokens of sound, chat completions, streamed",
      vendor: speaks("chat-completions"),
      path: "/v1/audio/transcriptions",
    },
    ...{ model: hearsByTokens(), body: { stream: "true" }, form: true },
    stage: events([{ type: "transcript.text.delta", delta: "Hi" }], {
      type: "transcript.text.done",
      text: "Hi",
      usage: {
        type: "tokens",
        input_tokens: 30,
        output_tokens: 5,
        total_tokens: 35,
        input_token_details: { text_tokens: 0, audio_tokens: 30 },
      },
    }),
    charge_micro: 30 * 6 + 5 * 10,
  },
];

function drawsByTokens() {
  return { kind: "image", price: { input: 5, output: 10, output_image: 40 }, max_completion_tokens: 8000 };
}

function hearsByTokens() {
  return { kind: "transcription", price: { input: 2.5, input_audio: 6, output: 10 }, max_completion_tokens: 500 };
}

/** A picture of one pixel. */
function PNG(): string {
  return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
}
