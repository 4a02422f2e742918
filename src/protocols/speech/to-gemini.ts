import type {
  ClientRequest,
  Exchange,
  OutputMedia,
  ProtocolAdapter,
  StreamAnswer,
  Target,
} from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { mediaIn, whyNoMedia } from "../shared/gemini-media.ts";
import { MediaStream } from "../shared/media-stream.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { untranslated } from "../shared/plain-relay.ts";
import { readErrorObject, readVendorError } from "../shared/vendor-error.ts";
import { refuseWhole } from "./relay.ts";
import { soundMedia, wavHeader } from "./sound-formats.ts";
import { type SpokenAnswer, spokenAnswer } from "./spoken-answer.ts";
import type { SpeechRequest } from "./wire-request.ts";

/** Speech by Gemini's `generateContent`, of the Gemini API and of Vertex AI (docs/rulings.md 221). */
export const speechToGemini: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, { model, upstream_model }: Target): Exchange {
  const body = request.body as SpeechRequest;
  const answer = spokenAnswer({ ...body, response_format: formatOf(body, model.id) });
  const voiceName = typeof body.voice === "string" ? body.voice : body.voice.id;
  const said = body.instructions == null ? body.input : `${body.instructions}\n\n${body.input}`;
  return {
    path: `/models/${upstream_model}:generateContent`,
    body: JSON.stringify({
      contents: [{ role: "user", parts: [{ text: said }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
      },
    }),
    headers: {},
    ignored: untranslated(body, TRANSLATED),
    ...(answer.content_type !== undefined && { content_type: answer.content_type }),
    readWhole: refuseWhole,
    openStream: () => new SampleStream(answer),
    readError: readVendorError,
  };
}

/** The format of the answer: Gemini makes raw samples, which a header makes a WAV file. A request without a format gets WAV, and the answer's type says so. */
function formatOf({ response_format }: SpeechRequest, model: string): "wav" | "pcm" {
  if (response_format == null) return "wav";
  if (response_format === "wav" || response_format === "pcm") return response_format;
  const message = `'response_format' is ${JSON.stringify(response_format)}; the model ${model} speaks in "wav" and "pcm" only.`;
  throw new GatewayError("invalid_input", message, { param: "response_format" });
}

const TRANSLATED: ReadonlySet<string> = new Set([
  ...["model", "input", "voice", "instructions", "response_format", "stream_format"],
]);

/** The most bytes of an answer, in base64: an hour of sound. */
const MOST_BYTES = 256 * 2 ** 20;
const USUAL_RATE = 24_000;
const NOTHING: Uint8Array = new Uint8Array(0);

/** The answer comes whole, in JSON, and becomes sound at its end. */
class SampleStream extends MediaStream implements StreamAnswer {
  usage: Usage | null = null;
  output_media: OutputMedia | undefined;
  readonly is_bytes?: true;
  readonly #answer: SpokenAnswer;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(answer: SpokenAnswer) {
    super();
    this.#answer = answer;
    if (answer.content_type !== undefined) this.is_bytes = true;
  }

  push(chunk: Uint8Array): Uint8Array {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MOST_BYTES)
      this.failure ??= invalidAnswer("The model service sent more sound than is read at once.");
    if (this.failure === null) this.#pieces.push(chunk.slice());
    return NOTHING;
  }

  end(): Uint8Array {
    if (this.failure !== null || this.complete) return NOTHING;
    const told = parseOrNull(Buffer.concat(this.#pieces.splice(0)).toString());
    const sound = isObject(told) ? soundOf(told) : null;
    if (sound === null) {
      this.failure =
        isObject(told) && "error" in told ? readErrorObject(told) : invalidAnswer(whyNoMedia(told, "sound"));
      return NOTHING;
    }
    const { samples, rate } = sound;
    const { format } = this.#answer;
    this.usage = usageOf(told);
    this.output_media = soundMedia(samples.byteLength, format);
    this.complete = this.has_content = true;
    return this.#answer.sound(
      format === "wav" ? Buffer.concat([wavHeader(samples.byteLength, rate), samples]) : samples,
    );
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    return this.#answer.done(billed ?? this.usage ?? NO_USAGE, cost);
  }

  fail(error: GatewayError): Uint8Array {
    return this.#answer.failed(error);
  }
}

interface Samples {
  readonly samples: Buffer;
  readonly rate: number;
}

/** The samples of all parts, in their order: `audio/L16;codec=pcm;rate=24000`. */
function soundOf(told: JsonRecord): Samples | null {
  const pieces: Buffer[] = [];
  let rate = USUAL_RATE;
  for (const { data, mime_type } of mediaIn(told)) {
    pieces.push(Buffer.from(data, "base64"));
    const [, said] = /rate=(\d{4,6})/.exec(mime_type) ?? [];
    if (said !== undefined) rate = Number(said);
  }
  const samples = Buffer.concat(pieces);
  return samples.byteLength === 0 ? null : { samples, rate };
}

function usageOf(told: unknown): Usage | null {
  const metadata = isObject(told) && isObject(told.usageMetadata) ? told.usageMetadata : {};
  const { promptTokenCount: input_tokens, candidatesTokenCount: output_tokens } = metadata;
  if (!isPlausibleCount(input_tokens) || !isPlausibleCount(output_tokens)) return null;
  return { ...NO_USAGE, input_tokens, output_tokens };
}
