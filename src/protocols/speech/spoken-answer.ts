import type { GatewayError } from "../../core/errors.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { styleAError } from "../shared/error-styles.ts";
import { SOUND_TYPES, type SoundFormat, USUAL_FORMAT } from "./sound-formats.ts";
import type { SpeechRequest } from "./wire-request.ts";

const NOTHING: Uint8Array = new Uint8Array(0);

/** The client's side of an answer: sound as it is, or in events (docs/rulings.md 221). */
export interface SpokenAnswer {
  readonly format: SoundFormat;
  /** The answer's type where it is sound; undefined for events. */
  readonly content_type: string | undefined;
  sound(bytes: Uint8Array): Uint8Array;
  /** A piece of sound that came as base64. */
  coded(base64: string): Uint8Array;
  /** The end, with what was billed and the value of its `cost`. */
  done(usage: Usage, cost: string | undefined): Uint8Array;
  failed(error: GatewayError): Uint8Array;
}

export function spokenAnswer({ response_format, stream_format }: SpeechRequest): SpokenAnswer {
  const format = response_format ?? USUAL_FORMAT;
  return stream_format === "sse" ? eventsOf(format) : soundOf(format);
}

/** Sound has no place for a cost, nor for an error: a connection that is cut says that it is not whole. */
function soundOf(format: SoundFormat): SpokenAnswer {
  return {
    format,
    content_type: SOUND_TYPES[format],
    sound: (bytes) => bytes,
    coded: (base64) => Buffer.from(base64, "base64"),
    done: () => NOTHING,
    failed: () => NOTHING,
  };
}

function eventsOf(format: SoundFormat): SpokenAnswer {
  const coded = (audio: string): Uint8Array => event({ type: "speech.audio.delta", audio });
  return {
    format,
    content_type: undefined,
    coded,
    sound: (bytes) => coded(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")),
    done: (usage, cost) =>
      event({ type: "speech.audio.done", usage: { ...shown(usage), ...(cost !== undefined && { cost }) } }),
    failed: (error) => event({ type: "error", ...styleAError(error) }),
  };
}

function event(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}

function shown(usage: Usage) {
  const input_tokens = totalInput(usage);
  return { input_tokens, output_tokens: usage.output_tokens, total_tokens: input_tokens + usage.output_tokens };
}
