import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { styleAExtra } from "../shared/rare-usage.ts";

/** How a transcription is charged: by minutes, where its tokens cost nothing, or by tokens. */
export interface Counting {
  readonly by_minutes: boolean;
  /** What is charged where the vendor tells no seconds. */
  readonly likely_seconds: number;
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["type", "input_tokens", "output_tokens", "total_tokens", "seconds"],
  ...["input_token_details", "input_tokens_details", "output_token_details", "output_tokens_details"],
]);

/** The usage of an answer; null where tokens are charged and none are told that can be believed. */
export function readTranscriptUsage(answer: JsonRecord, { by_minutes, likely_seconds }: Counting): Usage | null {
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
export function writeTranscriptUsage(usage: Usage): JsonRecord {
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
