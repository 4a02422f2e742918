import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields, shown } from "../../decisions/read-strict.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { type AskedHearing, heardText, secondsOf, soundTokens } from "../../sound/sound.ts";
import { STREAMED_MEDIA } from "../openai-shape.ts";
import { dataFrame, type Frame, type VendorProtocol } from "../protocol.ts";
import type { Json } from "../read.ts";

/** OpenAI's transcriptions and translations, as strict as its API: Whisper's formats, or with `@tokens=1` those of the models after it. */
export const transcriptions: VendorProtocol = {
  ...STREAMED_MEDIA,
  protocol: "transcriptions",
  accepts: (path) => path.endsWith("/audio/transcriptions") || path.endsWith("/audio/translations"),
  readAsk,
  whole,
  frames,
};

const FIELDS = ["file", "model", "prompt", "response_format", "temperature"];
const TRANSCRIBING = [
  ...["language", "stream", "timestamp_granularities[]", "include[]", "chunking_strategy"],
  ...["known_speaker_names[]", "known_speaker_references[]"],
];
const WHISPER_FORMATS = ["json", "text", "srt", "verbose_json", "vtt"];
const LATER_FORMATS = ["json", "text", "diarized_json"];
/** The least sound that is taken. */
const LEAST_SECONDS = 0.1;

function readAsk(model: ModelName, body: Json, _headers: Headers, path: string): Ask {
  if (findSimulatedModel(model.name)?.kind !== "transcription")
    throw new BadRequest(`Model ${model.full} is not supported for transcriptions`, "model", { status: 404 });
  const translates = path.endsWith("/translations");
  onlyFields(body, translates ? FIELDS : [...FIELDS, ...TRANSCRIBING], "");
  const { file, prompt = "", response_format = "json", stream } = body;
  if (!(file instanceof Uint8Array)) throw new BadRequest("Missing required parameter: 'file'.", "file");
  const formats = isLater(model) ? LATER_FORMATS : WHISPER_FORMATS;
  if (!formats.includes(String(response_format)))
    throw new BadRequest(
      `response_format ${shown(response_format)} is not compatible with model '${model.full}'. Use one of ${formats.join(", ")} instead.`,
      "response_format",
    );
  const seconds = secondsOf(file);
  if (seconds < LEAST_SECONDS)
    throw new BadRequest("Audio file is too short. Minimum audio length is 0.1 seconds.", "file", {
      code: "audio_too_short",
    });
  const hearing: AskedHearing = { seconds, prompt: String(prompt), format: String(response_format), translates };
  // Whisper does not heed a wish for a stream.
  return plainAsk(model, body, { stream: stream === "true" && isLater(model), prompt: [hearing.prompt], hearing });
}

function isLater({ params }: ModelName): boolean {
  return params.text("tokens", "") === "1";
}

function whole({ hearing, model }: Ask, { usage, usage_reporting }: Performance): object | string {
  if (hearing === undefined) return {};
  const text = heardText(hearing);
  const { seconds, format } = hearing;
  const end = seconds.toFixed(3).padStart(6, "0");
  if (format === "text") return `${text}\n`;
  if (format === "srt") return `1\n00:00:00,000 --> 00:00:${end.replace(".", ",")}\n${text}\n\n`;
  if (format === "vtt") return `WEBVTT\n\n00:00.000 --> 00:${end}\n${text}\n`;
  const told = usage_reporting.omitted
    ? {}
    : { usage: reportUsage(isLater(model) ? tokensOf(usage, hearing) : durationOf(seconds), usage_reporting) };
  const segment = { id: 0, start: 0, end: seconds, text };
  if (format === "verbose_json")
    return { task: "transcribe", language: "english", duration: seconds, text, segments: [segment], ...told };
  if (format === "diarized_json") {
    const spoken = { ...segment, id: "seg_0", type: "transcript.text.segment", speaker: "A" };
    return { task: "transcribe", duration: seconds, text, segments: [spoken], ...told };
  }
  return { text, ...told };
}

function durationOf(seconds: number) {
  return { type: "duration", seconds: Math.ceil(seconds) };
}

function tokensOf(usage: Performance["usage"], { seconds }: AskedHearing) {
  const audio_tokens = Math.min(usage.input, soundTokens(seconds));
  return {
    type: "tokens",
    input_tokens: usage.input,
    input_token_details: { text_tokens: usage.input - audio_tokens, audio_tokens },
    output_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}

function* frames({ hearing }: Ask, { blocks, usage, usage_reporting }: Performance): Iterable<Frame> {
  if (hearing === undefined) return;
  for (const block of blocks)
    for (const delta of block.pieces)
      yield dataFrame("content", JSON.stringify({ type: "transcript.text.delta", delta }));
  const told = usage_reporting.omitted ? {} : { usage: reportUsage(tokensOf(usage, hearing), usage_reporting) };
  yield dataFrame("terminal", JSON.stringify({ type: "transcript.text.done", text: heardText(hearing), ...told }));
}
