import { failures, makerOf, PRICE, type SimulatedModel, type Traits } from "./simulated-model.ts";

const speaker = makerOf("sound", {
  kind: "speech",
  content: "speak",
  output_modalities: ["audio"],
  context_length: 4_000,
  max_completion_tokens: 8_000,
  presets: { events: "0" },
  price: { input: "0.00", output: "0.00", cache_read: "0.00", cache_write: "0.00", input_characters: "15.00" },
});

const BY_TOKENS: Traits = { presets: {}, price: PRICE };

const SPEAKERS = [
  speaker(
    "speak",
    "Speaks a text: a tone for each word, or silence as MP3. Priced by characters, and has no events (@events=0).",
  ),
  speaker("speak-tokens", "Speaks, in events too, and is priced by tokens.", BY_TOKENS),
  speaker("speak-no-events", "Priced by tokens; sends sound where events were asked for (@ignores=stream_format).", {
    ...BY_TOKENS,
    presets: { ignores: "stream_format" },
  }),
  speaker("speak-no-usage", "Priced by tokens; reports no usage.", { ...BY_TOKENS, usage: "none" }),
  speaker("speak-silent", "Status 200 and no sound (@silent=1).", { presets: { events: "0", silent: "1" } }),
  ...failures(speaker, "speak"),
  speaker("speak-slow", "20 ms between words (@ms=N).", { pace_ms: 20 }),
  speaker("speak-cut", "Closes the connection in the middle of the sound.", { fault: "cut-mid" }),
  speaker("speak-stalls", "Falls silent in the middle of the sound.", { fault: "stall-mid" }),
];

const drawer = makerOf("images", {
  kind: "image",
  content: "draw",
  output_modalities: ["image"],
  context_length: 32_000,
  max_completion_tokens: 16_000,
  price: { input: "0.00", output: "0.00", cache_read: "0.00", cache_write: "0.00", images: "0.02" },
});

const DRAWERS = [
  drawer("draw", "Draws a picture of its own for each text, as PNG. Priced by the image."),
  drawer("draw-tokens", "Draws, and is priced by tokens.", BY_TOKENS),
  drawer("draw-plain", "Says neither size nor quality, and counts nothing, as older models do (@plain=1).", {
    presets: { plain: "1" },
  }),
  drawer("draw-no-usage", "Priced by tokens; reports no usage.", { ...BY_TOKENS, usage: "none" }),
  drawer("draw-none", "Status 200 and no image (@none=1).", { presets: { none: "1" } }),
  ...failures(drawer, "draw"),
  drawer("draw-slow", "200 ms for each image, done or on its way (@ms=N).", { pace_ms: 200 }),
  drawer("draw-cut", "Closes the connection after the first image on its way, or in the middle of the answer.", {
    fault: "cut-mid",
    presets: { after: "1" },
  }),
  drawer("draw-stalls", "Falls silent after the first image on its way.", {
    fault: "stall-mid",
    presets: { after: "1" },
  }),
];

const listener = makerOf("sound", {
  kind: "transcription",
  content: "listen",
  input_modalities: ["audio"],
  context_length: 16_000,
  max_completion_tokens: 2_000,
  price: { input: "0.00", output: "0.00", cache_read: "0.00", cache_write: "0.00", input_minutes: "0.006" },
});

const LATER: Traits = { presets: { tokens: "1" }, price: PRICE };

const LISTENERS = [
  listener("listen", "Says how long a recording is. Priced by the minute, and has no streams."),
  listener("listen-tokens", "Says it in streams, too, and is priced by tokens (@tokens=1).", LATER),
  listener("listen-no-usage", "Priced by tokens; reports no usage.", { ...LATER, usage: "none" }),
  ...failures(listener, "listen"),
  listener("listen-slow", "100 ms between words (@ms=N).", { ...LATER, pace_ms: 100 }),
  listener("listen-cut", "Closes the connection in the middle of the answer.", { ...LATER, fault: "cut-mid" }),
  listener("listen-html", "Status 200 and a web page.", { fault: "html-200" }),
];

/** The models that speak, draw and listen. */
export const MEDIA_MODELS: readonly SimulatedModel[] = [...SPEAKERS, ...DRAWERS, ...LISTENERS];
