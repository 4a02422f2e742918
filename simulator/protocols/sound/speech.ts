import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields, shown } from "../../decisions/read-strict.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { type AskedSpeech, soundOf } from "../../sound/sound.ts";
import { OPENAI_SHAPE } from "../openai-shape.ts";
import { dataFrame, type Frame, type VendorProtocol } from "../protocol.ts";
import type { Json } from "../read.ts";

/** OpenAI's speech, as strict as its API: sound, or events for the models that have them (`speak@events=0` has none). */
export const speech: VendorProtocol = {
  ...OPENAI_SHAPE,
  protocol: "speech",
  stream_content_type: "audio/mpeg",
  contentType: ({ speech: asked }) => (asked?.events === true ? "text/event-stream" : TYPES[asked?.format ?? "mp3"]),
  accepts: (path) => path.endsWith("/audio/speech"),
  wantsStream: () => true,
  readAsk,
  whole: () => ({}),
  frames,
};

const TYPES: Readonly<Record<AskedSpeech["format"], string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  pcm: "audio/pcm",
};
const FIELDS = ["model", "input", "voice", "instructions", "response_format", "speed", "stream_format"];
const VOICES = ["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"];
const MOST_CHARACTERS = 4096;

function readAsk(model: ModelName, body: Json): Ask {
  if (findSimulatedModel(model.name)?.kind !== "speech")
    throw new BadRequest(`Model ${model.full} is not supported for speech`, "model", { status: 404 });
  onlyFields(body, FIELDS, "");
  const { input, voice, instructions = "", response_format = "mp3", stream_format = "audio", speed = 1 } = body;
  if (typeof input !== "string" || input === "") throw new BadRequest("Missing required parameter: 'input'.", "input");
  if ([...input].length > MOST_CHARACTERS)
    throw new BadRequest(
      `Invalid 'input': string too long. Expected a string with maximum length ${MOST_CHARACTERS}, but got a string with length ${[...input].length} instead.`,
      "input",
    );
  if (typeof voice === "string" && !VOICES.includes(voice))
    throw new BadRequest(`Invalid value: ${shown(voice)}. Supported values are: ${VOICES.join(", ")}.`, "voice");
  const { [String(response_format)]: type } = TYPES as Readonly<Record<string, string>>;
  if (type === undefined)
    throw new BadRequest(
      `Invalid value: ${shown(response_format)}. Supported values are: ${Object.keys(TYPES).join(", ")}.`,
      "response_format",
    );
  if (typeof speed !== "number" || speed < 0.25 || speed > 4)
    throw new BadRequest("Invalid 'speed': expected a number between 0.25 and 4.0.", "speed");
  const has_events = model.params.text("events", "1") === "1";
  if (stream_format === "sse" && !has_events)
    throw new BadRequest("The 'sse' stream format is not supported for this model.", "stream_format");
  // `@ignores=stream_format` is what servers do that do not know the field.
  const events = stream_format === "sse" && model.params.text("ignores", "") !== "stream_format";
  const asked: AskedSpeech = { text: input, format: response_format as AskedSpeech["format"], events };
  return plainAsk(model, body, { stream: true, prompt: [input, String(instructions)], speech: asked });
}

function* frames({ speech: asked, model }: Ask, { usage, usage_reporting }: Performance): Iterable<Frame> {
  if (asked === undefined || model.params.text("silent", "") === "1") return;
  for (const piece of soundOf(asked)) {
    const audio = Buffer.from(piece).toString("base64");
    yield asked.events
      ? dataFrame("content", JSON.stringify({ type: "speech.audio.delta", audio }))
      : { part: "content", bytes: piece };
  }
  if (!asked.events) return;
  const counts = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output };
  const told = usage_reporting.omitted ? {} : { usage: reportUsage(counts, usage_reporting) };
  yield dataFrame("terminal", JSON.stringify({ type: "speech.audio.done", ...told }));
}
