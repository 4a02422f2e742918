import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  SentBody,
  StreamAnswer,
  Target,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, sameCounts, totalInput, type Usage } from "../../core/money/usage.ts";
import { normalizeDataLines } from "../shared/data-lines.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { styleAError } from "../shared/error-styles.ts";
import { EventsOrText } from "../shared/media-stream.ts";
import { outgoingForm, textPart } from "../shared/outgoing-form.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { styleAExtra } from "../shared/rare-usage.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { bodyWriter, REPEATED_MEMBER } from "../shared/rewrite-answer.ts";
import { dataText } from "../shared/sse-frames.ts";
import { withoutVendorCosts } from "../shared/usage-event.ts";
import { rewriteUsage } from "../shared/vendor-costs.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import type { TranscriptBody } from "./client.ts";
import type { TranscriptFormat } from "./form-fields.ts";

const NOTHING: Uint8Array = new Uint8Array(0);
const MOST_TEXT_BYTES = 16 * 2 ** 20;
/** As much of the text as an estimate is given. */
const MOST_SAMPLE = 64 * 1024;

/**
 * A vendor's transcription on its way to the client, event by event; models that have no streams answer in one piece of JSON, which is
 * then shown as events. The last event waits for the charge.
 */
class TranscriptStream extends EventsOrText implements StreamAnswer {
  readonly #asked: AskedTranscript;
  #last: JsonRecord | null = null;
  #usage: Usage | null = null;

  constructor(asked: AskedTranscript) {
    super({ most_text_bytes: MOST_TEXT_BYTES, too_large: NO_TRANSCRIPT });
    this.#asked = asked;
  }

  /** What was sent is known before anything is told: by minutes, that is what is charged. */
  get usage(): Usage | null {
    return this.#usage ?? (this.#asked.by_minutes ? readTranscriptUsage({}, this.#asked) : null);
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    const data = this.#last;
    if (data === null) return NOTHING;
    const told = this.usage;
    const is_told = isObject(data.usage) && (billed === undefined || (told !== null && sameCounts(billed, told)));
    const counted = billed ?? told;
    const usage = is_told || counted === null ? undefined : writeTranscriptUsage(counted);
    return dataFrame(rewriteUsage(JSON.stringify(data), data, usage, { cost }));
  }

  fail(error: GatewayError): Uint8Array {
    return dataFrame(JSON.stringify({ type: "error", ...styleAError(error) }));
  }

  protected takeFrame(frame: Buffer): Buffer | null {
    const text = dataText(frame);
    const data = text === null ? null : parseOrNull(text);
    if (!isObject(data)) return null;
    if (isObject(data.error) || data.type === "error") {
      this.failure = readErrorObject(data);
      return null;
    }
    if (data.type === "transcript.text.done") {
      this.#end(data);
      return null;
    }
    if (data.type === "transcript.text.delta" && typeof data.delta === "string") this.#passed(data.delta);
    if (data.type === "transcript.text.segment") this.has_content = true;
    return withoutVendorCosts(normalizeDataLines(frame));
  }

  #passed(text: string): void {
    this.has_content = true;
    this.output_bytes += Buffer.byteLength(text);
    if (this.output_sample.length < MOST_SAMPLE) this.output_sample += text;
  }

  #end(data: JsonRecord): void {
    if (!this.has_content && typeof data.text === "string") this.#passed(data.text);
    this.#last = data;
    this.#usage = readTranscriptUsage(data, this.#asked);
    if (this.#usage === null) this.rejected_usage = data.usage ?? null;
    this.complete = this.terminated = true;
  }

  protected takeText(text: string): Uint8Array {
    const answer = parseOrNull(text);
    if (!isObject(answer) || typeof answer.text !== "string") {
      this.failure = isObject(answer) && "error" in answer ? readErrorObject(answer) : NO_TRANSCRIPT;
      return NOTHING;
    }
    this.#passed(answer.text);
    const { usage, duration } = answer;
    this.#end({ type: "transcript.text.done", text: answer.text, ...(isObject(usage) && { usage }), duration });
    return dataFrame(JSON.stringify({ type: "transcript.text.delta", delta: answer.text }));
  }
}

function dataFrame(json: string): Buffer {
  return Buffer.from(`data: ${json}\n\n`);
}

/** Transcriptions by a vendor of chat completions, at the client's own path: the client's form, but for what must change. */
export const relayTranscriptions: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as TranscriptBody;
  const { response_format: format, stream } = body;
  const asked = {
    ...{ model_id: target.model.id, format, likely_seconds: body.likely_seconds },
    by_minutes: target.price?.units_micro?.input_minutes !== undefined,
  };
  const { parts, ignored } = sentParts(request.form ?? [], body, target);
  const { content_type, pieces } = outgoingForm(parts);
  return {
    path: request.protocol === "translations" ? "/audio/translations" : "/audio/transcriptions",
    ...{ body: "", pieces, ignored, is_light: true },
    headers: { "content-type": content_type },
    ...(isPlain(format) && !stream && { content_type: PLAIN_TYPE }),
    readWhole: (answer) => readTranscript(answer, asked),
    openStream: () => new TranscriptStream(asked),
    readError: readRelayedError,
  };
}

const KEPT: ReadonlySet<string> = new Set(["model", "file", "response_format", "stream"]);

/** A vendor counts in JSON alone: where mere text is asked for, the vendor is asked for JSON with it. */
function sentParts(
  parts: readonly FormPart[],
  { response_format }: TranscriptBody,
  { vendor, upstream_model }: Target,
) {
  const unsupported = new Set(vendor.quirks.unsupported_fields);
  const ignored: string[] = [];
  const sent: FormPart[] = [];
  for (const part of parts) {
    const field = part.name.replace(/\[\]$/, "");
    if (field === "model") sent.push(textPart("model", upstream_model));
    else if (field === "response_format" && response_format === "text") sent.push(textPart(field, "json"));
    else if (!unsupported.has(field) || KEPT.has(field)) sent.push(part);
    else if (!ignored.includes(field)) ignored.push(field);
  }
  return { parts: sent, ignored };
}

interface AskedTranscript extends Counting {
  readonly model_id: string;
  /** What the client asked for. */
  readonly format: TranscriptFormat;
}

/** The content type of an answer in plain text. */
const PLAIN_TYPE = "text/plain; charset=utf-8";

function isPlain(format: TranscriptFormat): boolean {
  return format === "text" || format === "srt" || format === "vtt";
}

/** Reads a whole answer, and writes it in the client's format. Never throws. */
function readTranscript(sent: WholeBody, asked: AskedTranscript): WholeAnswer {
  const text = textOf(sent);
  const answer = parseOrNull(text);
  if (isObject(answer) && "error" in answer) return failedAnswer(readErrorObject(answer));
  if (isPlain(asked.format)) return plainAnswer(isObject(answer) ? answer : { text }, asked);
  if (!isObject(answer) || typeof answer.text !== "string") return failedAnswer(NO_TRANSCRIPT);
  const write = bodyWriter({ sent, text, answer }, asked.model_id);
  if (write === null) return failedAnswer(REPEATED_MEMBER);
  const usage = readTranscriptUsage(answer, asked);
  return {
    ...reportOn(answer.text, usage, answer),
    body: write(),
    bodyWith: (billed: Usage | null, cost?: string): SentBody => {
      const counted = billed ?? (isObject(answer.usage) ? null : usage);
      return counted === null ? write(undefined, cost) : write(writeTranscriptUsage(counted), cost);
    },
  };
}

/** A text without JSON around it. A vendor that was asked for its words in JSON, as it counts there, is shown as that text. */
function plainAnswer(answer: JsonRecord, asked: AskedTranscript): WholeAnswer {
  if (typeof answer.text !== "string" || isPage(answer.text)) return failedAnswer(NO_TRANSCRIPT);
  const body = answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`;
  return { ...reportOn(answer.text, readTranscriptUsage(answer, asked), answer), body };
}

function isPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
}

function reportOn(text: string, usage: Usage | null, { usage: raw }: JsonRecord) {
  return {
    ...{ usage, rejected_usage: usage === null ? (raw ?? null) : null },
    ...{ output_bytes: Buffer.byteLength(text), output_sample: text, has_content: true, failure: null },
  };
}

const NO_TRANSCRIPT = invalidAnswer("The model service sent what is no transcription.");

/** How a transcription is charged: by minutes, where its tokens cost nothing, or by tokens. */
interface Counting {
  readonly by_minutes: boolean;
  /** What is charged where the vendor tells no seconds. */
  readonly likely_seconds: number;
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["type", "input_tokens", "output_tokens", "total_tokens", "seconds"],
  ...["input_token_details", "input_tokens_details", "output_token_details", "output_tokens_details"],
]);

/** The usage of an answer; null where tokens are charged and none are told that can be believed. */
function readTranscriptUsage(answer: JsonRecord, { by_minutes, likely_seconds }: Counting): Usage | null {
  const raw = isObject(answer.usage) ? answer.usage : {};
  if (by_minutes) {
    const told = [raw.seconds, answer.duration].find((each) => typeof each === "number" && each > 0 && each < 2 ** 31);
    const input_seconds = typeof told === "number" ? Math.ceil(told) : likely_seconds;
    return { ...NO_USAGE, extra: { units: { input_seconds } } };
  }
  const { input_tokens, output_tokens } = raw;
  if (!isPlausibleCount(input_tokens) || !isPlausibleCount(output_tokens)) return null;
  const input_details = isObject(raw.input_token_details)
    ? raw.input_token_details
    : isObject(raw.input_tokens_details)
      ? raw.input_tokens_details
      : {};
  const usage: Usage = { ...NO_USAGE, input_tokens, output_tokens };
  return styleAExtra(usage, { raw, known: KNOWN, input_details, output_details: {}, writes: null });
}

/** A usage in the shape of transcriptions. */
function writeTranscriptUsage(usage: Usage): JsonRecord {
  const { input_seconds } = usage.extra?.units ?? {};
  if (input_seconds !== undefined) return { type: "duration", seconds: input_seconds };
  const input_tokens = totalInput(usage);
  const audio_tokens = usage.extra?.parts?.input_audio;
  return {
    ...{ type: "tokens", input_tokens, output_tokens: usage.output_tokens },
    total_tokens: input_tokens + usage.output_tokens,
    ...(audio_tokens !== undefined && {
      input_token_details: { text_tokens: input_tokens - audio_tokens, audio_tokens },
    }),
  };
}
