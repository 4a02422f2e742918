import type {
  ClientRequest,
  Exchange,
  OutputMedia,
  ProtocolAdapter,
  StreamAnswer,
  Target,
  VendorFailure,
  WholeAnswer,
} from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import type { Price } from "../../core/money/price.ts";
import { isPlausibleCount, NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { takeFrames } from "../shared/event-frames.ts";
import { findMembers, type MemberChange, replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { MediaStream, TEXT_STARTS } from "../shared/media-stream.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { dataText, SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { soundMedia } from "./sound-formats.ts";
import { type SpokenAnswer, spokenAnswer } from "./spoken-answer.ts";
import type { SpeechRequest } from "./wire-request.ts";

const NOTHING: Uint8Array = new Uint8Array(0);
const EVENT_STARTS = ["data:", "event:"];
const LONGEST_START = 6;
/** The most bytes that are read of a text in place of sound. */
const MOST_TEXT_BYTES = 64 * 1024;

type Form = "sound" | "events" | "text";

/**
 * A vendor's speech on its way to the client: sound, or events with sound in them. How the answer begins says which it is, as some servers
 * send one where the other was asked for. Pieces of sound go to the client as they came.
 */
class SoundStream extends MediaStream implements StreamAnswer {
  readonly is_bytes?: true;
  readonly #answer: SpokenAnswer;
  readonly #frames = new SseFrames();
  #form: Form | null = null;
  #begun: Buffer = Buffer.alloc(0);
  #sound_bytes = 0;
  #told: Usage | null = null;

  constructor(answer: SpokenAnswer) {
    super();
    this.#answer = answer;
    if (answer.content_type !== undefined) this.is_bytes = true;
  }

  get usage(): Usage | null {
    return this.#told;
  }

  /** What the sound so far is by its length. */
  get output_media(): OutputMedia | undefined {
    return soundMedia(this.#sound_bytes, this.#answer.format);
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.terminated || this.failure !== null || chunk.byteLength === 0) return NOTHING;
    if (this.#form === "sound") return this.#takeSound(chunk);
    if (this.#form === "events") return this.#takeEvents(chunk);
    this.#begun = Buffer.concat([this.#begun, chunk]);
    this.#form ??= formOf(this.#begun);
    if (this.#form === null || this.#form === "text") return this.#takeText();
    return this.push(this.#begun);
  }

  end(): Uint8Array {
    if (this.terminated || this.failure !== null) return NOTHING;
    if (this.#form === null && this.#begun.byteLength > 0) this.#form = "sound";
    switch (this.#form) {
      case "text":
        this.failure = readText(this.#begun.toString());
        return NOTHING;
      case "events": {
        const frame = this.#frames.end();
        return frame === null ? NOTHING : (this.#takeEvent(frame) ?? NOTHING);
      }
      default: {
        const rest = this.has_content || this.#begun.byteLength === 0 ? NOTHING : this.#takeSound(this.#begun);
        this.#endWell();
        return rest;
      }
    }
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    return this.#answer.done(billed ?? this.usage ?? NO_USAGE, cost);
  }

  fail(error: GatewayError): Uint8Array {
    return this.#answer.failed(error);
  }

  /** Ends the answer, which has failed where it has no sound, whatever its vendor counts. */
  #endWell(): void {
    if (this.has_content) this.complete = this.terminated = true;
    else this.failure = invalidAnswer("The model service sent no sound.");
  }

  #takeSound(chunk: Uint8Array): Uint8Array {
    this.has_content = true;
    this.#sound_bytes += chunk.byteLength;
    return this.#answer.sound(chunk);
  }

  #takeText(): Uint8Array {
    if (this.#begun.byteLength > MOST_TEXT_BYTES) this.failure = readText(this.#begun.toString());
    return NOTHING;
  }

  #takeEvents(chunk: Uint8Array): Uint8Array {
    this.#frames.feed(chunk);
    return takeFrames(this, this.#frames, (frame) => this.#takeEvent(frame));
  }

  #takeEvent(frame: Buffer): Uint8Array | null {
    const data = dataText(frame);
    if (data === null) return null;
    if (data.trim() === "[DONE]") this.#endWell();
    const event = parseOrNull(data);
    if (!isObject(event)) return null;
    const { type, audio, usage } = event;
    if (type === "speech.audio.done") return this.#takeEnd(usage);
    if (type === "speech.audio.delta" && typeof audio === "string" && audio !== "") return this.#takeCoded(audio);
    if (isObject(event.error) || typeof event.error === "string") this.failure = readErrorObject(event);
    return null;
  }

  #takeCoded(audio: string): Uint8Array {
    this.has_content = true;
    this.#sound_bytes += Buffer.byteLength(audio, "base64");
    return this.#answer.coded(audio);
  }

  #takeEnd(usage: unknown): null {
    this.#endWell();
    if (!isObject(usage)) return null;
    const { input_tokens, output_tokens } = usage;
    if (isPlausibleCount(input_tokens) && isPlausibleCount(output_tokens))
      this.#told = { ...NO_USAGE, input_tokens, output_tokens };
    else this.rejected_usage = usage;
    return null;
  }
}

/** Null while it cannot be told. */
function formOf(begun: Buffer): Form | null {
  const [first = 0] = begun;
  if (TEXT_STARTS.has(first)) return "text";
  const start = begun.toString("latin1", 0, LONGEST_START);
  if (EVENT_STARTS.some((each) => start.startsWith(each))) return "events";
  return EVENT_STARTS.some((each) => each.startsWith(start)) ? null : "sound";
}

function readText(text: string): VendorFailure {
  const answer = parseOrNull(text);
  if (isObject(answer) && ("error" in answer || "detail" in answer || "message" in answer))
    return readErrorObject(answer);
  return invalidAnswer("The model service sent what is no sound.");
}

/** Speech by a vendor of chat completions, at its `/audio/speech`: the client's own body, but for what must change. */
export const relaySpeech: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const answer = spokenAnswer(request.body as SpeechRequest);
  const { changes, ignored } = changesFor(request, target);
  return {
    path: "/audio/speech",
    body: replaceMembers(request.text, changes, findMembers(request.text)),
    headers: {},
    ignored,
    ...(answer.content_type !== undefined && { content_type: answer.content_type }),
    readWhole: refuseWhole,
    openStream: () => new SoundStream(answer),
    readError: readRelayedError,
  };
}

/** Speech passes through as it comes. */
export function refuseWhole(): WholeAnswer {
  throw new Error("speech is never read whole");
}

/**
 * The form in which a vendor is asked is the one in which it can say what it bills: events where tokens are charged, and sound where
 * characters are, or nothing is.
 */
function changesFor({ body }: ClientRequest, { vendor, upstream_model, price }: Target) {
  const changes: MemberChange[] = [];
  const ignored: string[] = [];
  const unsupported = new Set(vendor.quirks.unsupported_fields);
  if (body.model !== upstream_model) changes.push(["model", nameText(upstream_model)]);
  const form = countsTokens(price) && !unsupported.has("stream_format") ? "sse" : null;
  if ((body.stream_format ?? null) !== form)
    changes.push(["stream_format", form === null ? null : JSON.stringify(form)]);
  for (const field of unsupported) {
    if (KEPT.has(field) || !Object.hasOwn(body, field)) continue;
    if (body[field] !== null) ignored.push(field);
    changes.push([field, null]);
  }
  return { changes, ignored };
}

/** Whether tokens cost something: servers that are free may refuse events. */
function countsTokens(price: Price | undefined): boolean {
  return price !== undefined && (price.input_micro_per_mtok > 0 || price.output_micro_per_mtok > 0);
}

const KEPT: ReadonlySet<string> = new Set(["model", "input", "voice", "response_format", "stream_format"]);
