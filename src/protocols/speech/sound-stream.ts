import type { OutputMedia, StreamAnswer, VendorFailure } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { takeFrames } from "../shared/event-frames.ts";
import { MediaStream } from "../shared/media-stream.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { dataText, SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { soundMedia } from "./sound-formats.ts";
import type { SpokenAnswer } from "./spoken-answer.ts";

const NOTHING: Uint8Array = new Uint8Array(0);
const EVENT_STARTS = ["data:", "event:"];
const LONGEST_START = 6;
/** The first bytes of JSON and of a page: no format of sound begins so, and silence in raw samples does not either. */
const TEXT_STARTS: ReadonlySet<number> = new Set([0x7b, 0x3c]);
/** The most of such a text that is read. */
const MOST_TEXT_BYTES = 64 * 1024;

type Form = "sound" | "events" | "text";

/**
 * A vendor's speech on its way to the client: sound, or events with sound in them, told apart by how they begin, as some servers send
 * the one where the other was asked for. Pieces of sound go to the client as they came.
 */
export class SoundStream extends MediaStream implements StreamAnswer {
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

  /** An answer without sound is none, whatever its vendor counts. */
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
