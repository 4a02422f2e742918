import { type Ask, BadRequest } from "../../ask.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { SAMPLE_RATE, soundOf } from "../../sound/sound.ts";
import { isObject, type Json, objectsOf, textOf } from "../read.ts";
import { checkKnown, KNOWN } from "./known-fields.ts";

/** Models that speak: `generateContent` with the modality AUDIO, answered with samples (16 bits, 24,000 a second). */

export function isSpeaker(model: ModelName): boolean {
  return findSimulatedModel(model.name)?.kind === "speech";
}

export function readSpeech(model: ModelName, body: Json): Ask {
  checkKnown(body, KNOWN.request, "");
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  checkKnown(config, KNOWN.config, "generation_config");
  if (!Array.isArray(config.responseModalities) || config.responseModalities.join() !== "AUDIO")
    throw new BadRequest("The requested combination of response modalities (TEXT) is not supported by the model.");
  if (body.systemInstruction !== undefined) throw new BadRequest("Developer instruction is not enabled for this model");
  const speech = isObject(config.speechConfig) ? config.speechConfig : {};
  const voice = isObject(speech.voiceConfig) ? speech.voiceConfig.prebuiltVoiceConfig : undefined;
  if (!isObject(voice) || textOf(voice.voiceName) === "")
    throw new BadRequest("* GenerateContentRequest.generation_config.speech_config: a voice is required\n");
  const said = objectsOf(body.contents).flatMap(({ parts }) => objectsOf(parts).map(({ text }) => textOf(text)));
  const text = said.join("\n");
  if (text === "") throw new BadRequest("* GenerateContentRequest.contents: contents is not specified\n");
  // A style is said before the text, and not spoken.
  const [spoken = text] = text.split("\n\n").slice(-1);
  return plainAsk(model, body, { prompt: [text], speech: { text: spoken, format: "pcm", events: false } });
}

export function spokenWhole({ speech, model, serial }: Ask, { usage, usage_reporting }: Performance): object {
  const is_silent = speech === undefined || model.params.text("silent", "") === "1";
  const data = is_silent ? "" : Buffer.concat(soundOf(speech)).toString("base64");
  const part = { inlineData: { mimeType: `audio/L16;codec=pcm;rate=${SAMPLE_RATE}`, data } };
  const counts = {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
  };
  return {
    candidates: [
      is_silent
        ? { finishReason: "OTHER", index: 0 }
        : { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 },
    ],
    ...(!usage_reporting.omitted && { usageMetadata: reportUsage(counts, usage_reporting) }),
    modelVersion: model.full,
    responseId: serial,
  };
}
