import { type ChargeRow, events, json, TEXT } from "./charge-rows.ts";

/** The rows of images, speech and what is heard. */

const USED = {
  ...{ input_tokens: 400, output_tokens: 1056, total_tokens: 1456 },
  input_tokens_details: { text_tokens: 400, image_tokens: 0 },
};
const IMAGE = { b64_json: "aGk=" };
const DRAWN = {
  ...IMAGE,
  size: "1024x1024",
  quality: "low",
  background: "opaque",
  output_format: "png",
  created_at: 1,
};
const drawnAs = (type: string, more: object = {}) =>
  events([{ type: `${type}.partial_image`, partial_image_index: 0, ...DRAWN }], {
    type: `${type}.completed`,
    ...DRAWN,
    ...more,
  });
const byTokens = {
  unit: "tokens of images",
  model: {
    kind: "image",
    price: { input: 5, input_image: 8, output: 10, output_image: 40 },
    max_completion_tokens: 8000,
  },
  charge_micro: 400 * 5 + 1056 * 40,
} as const;
const byImages = { unit: "images", model: { kind: "image", price: { images: 0.04 } }, charge_micro: 40_000 } as const;
const EDITED = {
  ...USED,
  input_tokens: 700,
  total_tokens: 1756,
  input_tokens_details: { text_tokens: 400, image_tokens: 300 },
};
const editing = {
  ...byTokens,
  unit: "tokens of images, sent and made",
  charge_micro: byTokens.charge_micro + 300 * 8,
} as const;

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const byGemini = (mimeType: string, data: string, usage: object) =>
  json({
    candidates: [
      { index: 0, finishReason: "STOP", content: { role: "model", parts: [{ inlineData: { mimeType, data } }] } },
    ],
    usageMetadata: usage,
  });
const geminiImage = (input: object) =>
  byGemini("image/png", PNG, {
    ...input,
    ...{ candidatesTokenCount: 1056, candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1056 }] },
  });
const TEXT_COUNT = { promptTokenCount: 400, totalTokenCount: 1456 };
const SENT_COUNT = {
  ...{ promptTokenCount: 700, totalTokenCount: 1756 },
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 400 },
    { modality: "IMAGE", tokenCount: 300 },
  ],
};

const generated = { endpoint: "images.generations", body: { prompt: TEXT } } as const;
const edited = { endpoint: "images.edits", body: { prompt: TEXT }, form_file: "image" } as const;
const openai = { protocol: "chat-completions" } as const;
const gemini = { protocol: "gemini" } as const;
const whole = { form: "whole" } as const;
const stream = { form: "stream" } as const;

const IMAGES: readonly ChargeRow[] = [
  {
    ...{ ...generated, ...openai, ...whole, ...byImages, body: { prompt: "a cat", n: 2 } },
    stage: json({ created: 1, data: [IMAGE, IMAGE] }),
    charge_micro: 2 * 40_000,
  },
  {
    ...{ ...generated, ...openai, ...whole, ...byImages, unit: "images by size and quality" },
    body: { prompt: "a cat", size: "1024x1024", quality: "high" },
    model: { kind: "image", price: { images: { default: 0.04, "1024x1024/high": 0.16 } } },
    stage: json({ created: 1, data: [IMAGE] }),
    charge_micro: 160_000,
  },
  {
    ...{ ...generated, ...openai, ...stream, ...byImages, body: { prompt: "a cat", stream: true } },
    stage: drawnAs("image_generation"),
  },
  { ...generated, ...gemini, ...whole, ...byImages, stage: geminiImage(TEXT_COUNT) },
  {
    ...{ ...generated, ...gemini, ...stream, ...byImages, body: { prompt: "a cat", stream: true } },
    stage: geminiImage(TEXT_COUNT),
  },
  { ...generated, ...openai, ...whole, ...byTokens, stage: json({ created: 1, data: [IMAGE], usage: USED }) },
  {
    ...{ ...generated, ...openai, ...stream, ...byTokens, body: { prompt: TEXT, stream: true, partial_images: 1 } },
    stage: drawnAs("image_generation", { usage: USED }),
  },
  { ...generated, ...gemini, ...whole, ...byTokens, stage: geminiImage(TEXT_COUNT) },
  {
    ...{ ...generated, ...gemini, ...stream, ...byTokens, body: { prompt: TEXT, stream: true } },
    stage: geminiImage(TEXT_COUNT),
  },
  { ...edited, ...openai, ...whole, ...byImages, stage: json({ created: 1, data: [IMAGE] }) },
  {
    ...{ ...edited, ...openai, ...stream, ...byImages, body: { prompt: TEXT, stream: "true" } },
    stage: drawnAs("image_edit"),
  },
  { ...edited, ...openai, ...whole, ...editing, stage: json({ created: 1, data: [IMAGE], usage: EDITED }) },
  {
    ...{ ...edited, ...openai, ...stream, ...editing, body: { prompt: TEXT, stream: "true", partial_images: "1" } },
    stage: drawnAs("image_edit", { usage: EDITED }),
  },
  { ...edited, ...gemini, ...whole, ...editing, stage: geminiImage(SENT_COUNT) },
  {
    ...{ ...edited, ...gemini, ...stream, ...editing, body: { prompt: TEXT, stream: "true" } },
    stage: geminiImage(SENT_COUNT),
  },
];

const spoken = { endpoint: "audio.speech", form: "stream", body: { input: "a".repeat(1000), voice: "coral" } } as const;
const byCharacters = {
  unit: "characters",
  model: { kind: "speech", price: { input_characters: 15 } },
  charge_micro: 1000 * 15,
} as const;
const saidByTokens = {
  unit: "tokens of speech",
  model: { kind: "speech", price: { input: 2, output: 12 }, max_completion_tokens: 8000 },
  charge_micro: 400 * 2 + 300 * 12,
} as const;
const geminiSound = byGemini("audio/L16;codec=pcm;rate=24000", Buffer.alloc(48_000).toString("base64"), {
  ...{ promptTokenCount: 400, candidatesTokenCount: 300, totalTokenCount: 700 },
});
const SOUND = { type: "audio/mpeg", pieces: ["sound", "sound"] };
const asEvents = { body: { input: TEXT, voice: "coral", stream_format: "sse" } } as const;

const SPEECH: readonly ChargeRow[] = [
  { ...spoken, ...openai, ...byCharacters, stage: SOUND },
  {
    ...{ ...spoken, ...openai, ...byCharacters, unit: "characters, as events" },
    body: { ...spoken.body, stream_format: "sse" },
    stage: SOUND,
  },
  {
    ...{ ...spoken, ...openai, ...saidByTokens, ...asEvents },
    stage: events([{ type: "speech.audio.delta", audio: "aGk=" }], {
      type: "speech.audio.done",
      usage: { input_tokens: 400, output_tokens: 300, total_tokens: 700 },
    }),
  },
  { ...spoken, ...gemini, ...byCharacters, stage: geminiSound },
  { ...spoken, ...gemini, ...saidByTokens, body: { input: TEXT, voice: "Kore" }, stage: geminiSound },
  {
    ...{ ...spoken, ...gemini, ...saidByTokens, ...asEvents, unit: "tokens of speech, as events" },
    stage: geminiSound,
  },
];

const HEARD = {
  ...{ type: "tokens", input_tokens: 30, output_tokens: 5, total_tokens: 35 },
  input_token_details: { text_tokens: 0, audio_tokens: 30 },
};
const heardByTokens = {
  unit: "tokens of sound",
  model: { kind: "transcription", price: { input: 2.5, input_audio: 6, output: 10 }, max_completion_tokens: 500 },
  charge_micro: 30 * 6 + 5 * 10,
} as const;
const byMinutes = {
  unit: "minutes",
  model: { kind: "transcription", price: { input_minutes: 0.006 } },
  charge_micro: (2 * 6000) / 60,
} as const;
const LASTED = { usage: { type: "duration", seconds: 2 } };
const transcribed = { endpoint: "audio.transcriptions", ...openai, form_file: "file", body: {} } as const;
const translated = { ...transcribed, endpoint: "audio.translations" } as const;
const asStream = { body: { stream: "true" } } as const;
const heardAs = (more: object) =>
  events([{ type: "transcript.text.delta", delta: "Hi" }], { type: "transcript.text.done", text: "Hi", ...more });

const HEARING: readonly ChargeRow[] = [
  { ...transcribed, ...whole, ...byMinutes, stage: json({ text: "Hi", ...LASTED }) },
  { ...transcribed, ...stream, ...byMinutes, ...asStream, stage: heardAs(LASTED) },
  { ...transcribed, ...whole, ...heardByTokens, stage: json({ text: "Hi", usage: HEARD }) },
  { ...transcribed, ...stream, ...heardByTokens, ...asStream, stage: heardAs({ usage: HEARD }) },
  { ...translated, ...whole, ...byMinutes, stage: json({ text: "Hi", ...LASTED }) },
  { ...translated, ...whole, ...heardByTokens, stage: json({ text: "Hi", usage: HEARD }) },
];

export const MEDIA: readonly ChargeRow[] = [...IMAGES, ...SPEECH, ...HEARING];
