import { type Ask, BadRequest } from "../../ask.ts";
import { pictureOf } from "../../images/picture.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { SAMPLE_RATE, soundOf } from "../../sound/sound.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { checkKnown, KNOWN } from "./known-fields.ts";

/**
 * Models that speak or draw, by `generateContent` with the modality AUDIO or IMAGE: they answer with samples (16 bits, 24,000 a second),
 * or with a PNG file behind one that was drawn while thinking.
 */
export function isMediaModel(model: ModelName): boolean {
  const kind = findSimulatedModel(model.name)?.kind;
  return kind === "speech" || kind === "image";
}

export function readMedia(model: ModelName, body: Json): Ask {
  checkKnown(body, KNOWN.request, "");
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  checkKnown(config, KNOWN.config, "generation_config");
  const modalities: readonly unknown[] = Array.isArray(config.responseModalities) ? config.responseModalities : [];
  const speaks = findSimulatedModel(model.name)?.kind === "speech";
  if (speaks ? modalities.join() !== "AUDIO" : !modalities.includes("IMAGE"))
    throw new BadRequest("The requested combination of response modalities (TEXT) is not supported by the model.");
  const parts = objectsOf(body.contents).flatMap((content) => objectsOf(content.parts));
  const text = parts
    .map((part) => textOf(part.text))
    .filter((each) => each !== "")
    .join("\n");
  const asked = speaks ? { speech: readSpeech(body, config, text) } : { pictures: readPictures(config, parts, text) };
  if (text === "") throw new BadRequest("* GenerateContentRequest.contents: contents is not specified\n");
  return plainAsk(model, body, { prompt: [text], ...asked });
}

function readSpeech(body: Json, config: Json, text: string): NonNullable<Ask["speech"]> {
  if (body.systemInstruction !== undefined) throw new BadRequest("Developer instruction is not enabled for this model");
  const speech = isObject(config.speechConfig) ? config.speechConfig : {};
  const voice = isObject(speech.voiceConfig) ? speech.voiceConfig.prebuiltVoiceConfig : undefined;
  if (!isObject(voice) || textOf(voice.voiceName) === "")
    throw new BadRequest("* GenerateContentRequest.generation_config.speech_config: a voice is required\n");
  // A style is said before the text, and not spoken.
  const [spoken = text] = text.split("\n\n").slice(-1);
  return { text: spoken, format: "pcm", events: false };
}

const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  "1:1": [1024, 1024],
  "2:3": [832, 1248],
  "3:2": [1248, 832],
  "3:4": [864, 1184],
  "4:3": [1184, 864],
  "4:5": [896, 1152],
  "5:4": [1152, 896],
  "9:16": [768, 1344],
  "16:9": [1344, 768],
  "21:9": [1536, 672],
};
const SCALES: Readonly<Record<string, number>> = { "1K": 1, "2K": 2, "4K": 4 };

function readPictures(config: Json, parts: readonly Json[], text: string): NonNullable<Ask["pictures"]> {
  const image = isObject(config.imageConfig) ? config.imageConfig : {};
  checkKnown(image, ["aspectRatio", "imageSize"], "generation_config.image_config");
  const size = SIZES[textOf(image.aspectRatio) || "1:1"];
  const scale = SCALES[textOf(image.imageSize) || "1K"];
  if (size === undefined)
    throw new BadRequest(
      `* GenerateContentRequest.generation_config.image_config.aspect_ratio: aspect_ratio must be one of ${Object.keys(SIZES).join(", ")}.\n`,
    );
  if (scale === undefined)
    throw new BadRequest("* GenerateContentRequest.generation_config.image_config.image_size: invalid image_size\n");
  const [width, height] = [size[0] * scale, size[1] * scale];
  const edits = parts.flatMap(({ inlineData }) =>
    isObject(inlineData) ? [Buffer.from(textOf(inlineData.data), "base64").byteLength] : [],
  );
  return { text, width, height, quality: "medium", count: 1, partial_images: 0, edits };
}

/** The answer of a media model, which is never streamed. */
export function mediaWhole(ask: Ask, { usage, usage_reporting }: Performance): object {
  const { speech, model, serial } = ask;
  const parts = speech === undefined ? drawnParts(ask) : spokenParts(ask);
  const none = speech === undefined ? "NO_IMAGE" : "OTHER";
  const details = speech === undefined && {
    promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input }],
    candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: usage.output }],
  };
  const counts = {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    ...details,
  };
  const content = parts.length === 0 ? {} : { content: { role: "model", parts } };
  return {
    candidates: [{ ...content, finishReason: parts.length === 0 ? none : "STOP", index: 0 }],
    ...(!usage_reporting.omitted && { usageMetadata: reportUsage(counts, usage_reporting) }),
    modelVersion: model.full,
    responseId: serial,
  };
}

function spokenParts({ speech, model }: Ask): object[] {
  if (speech === undefined || model.params.text("silent", "") === "1") return [];
  const data = Buffer.concat(soundOf(speech)).toString("base64");
  return [{ inlineData: { mimeType: `audio/L16;codec=pcm;rate=${SAMPLE_RATE}`, data } }];
}

function drawnParts({ pictures, model }: Ask): object[] {
  if (pictures === undefined || model.params.text("none", "") === "1") return [];
  const inline = (share: number) => ({ mimeType: "image/png", data: pictureOf(pictures, 0, share).toString("base64") });
  return [{ inlineData: inline(0.5), thought: true }, { text: "Here it is." }, { inlineData: inline(1) }];
}
