import type { FormPart } from "../../core/answer/form-part.ts";
import { GatewayError } from "../../core/errors.ts";

/** The formats of a transcription; those without JSON have no place for a usage. */
export const TRANSCRIPT_FORMATS = ["json", "text", "srt", "vtt", "verbose_json", "diarized_json"] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export const MOST_SOUND_BYTES = 25 * 2 ** 20;
/** The form around the sound. */
export const MOST_FORM_BYTES = MOST_SOUND_BYTES + 2 ** 20;

/** The fields of a form that the gateway reads. */
export interface TranscriptFields {
  readonly model: string;
  readonly prompt: string;
  readonly response_format: TranscriptFormat;
  readonly stream: boolean;
  readonly file: FormPart;
}

/** Reads a form. Throws `invalid_input` that names the wrong field, and `request_too_large` for a file that is too large. */
export function readFields(parts: readonly FormPart[]): TranscriptFields {
  const file = oneOf(parts, "file");
  if (file === null || file.data.byteLength === 0)
    throw wrong("file", file === null ? null : "empty", "a file of sound");
  if (file.data.byteLength > MOST_SOUND_BYTES)
    throw new GatewayError(
      "request_too_large",
      `'file' has ${file.data.byteLength} bytes; allowed: at most ${MOST_SOUND_BYTES}.`,
      { param: "file" },
    );
  const model = textIn(parts, "model");
  if (model === null || model === "") throw wrong("model", model, "the id of a model");
  const format = textIn(parts, "response_format") ?? "json";
  const response_format = TRANSCRIPT_FORMATS.find((each) => each === format);
  if (response_format === undefined) throw wrong("response_format", format, TRANSCRIPT_FORMATS.join(", "));
  const temperature = textIn(parts, "temperature");
  if (temperature !== null && !/^(0(\.\d+)?|1(\.0+)?)$/.test(temperature))
    throw wrong("temperature", temperature, "a number from 0 to 1");
  for (const part of parts)
    if (part.name === "timestamp_granularities[]" && !/^(word|segment)$/.test(part.data.toString()))
      throw wrong(part.name, part.data.toString(), "word or segment");
  return { model, prompt: textIn(parts, "prompt") ?? "", response_format, stream: readBoolean(parts, "stream"), file };
}

function readBoolean(parts: readonly FormPart[], name: string): boolean {
  const said = textIn(parts, name)?.toLowerCase() ?? "false";
  if (said === "true" || said === "1") return true;
  if (said === "false" || said === "0" || said === "") return false;
  throw wrong(name, said, "true or false");
}

/** A form names a field once, as readers disagree about which of two counts. */
function oneOf(parts: readonly FormPart[], name: string): FormPart | null {
  const found = parts.filter((part) => part.name === name);
  if (found.length > 1) throw wrong(name, `there ${found.length} times`, "one");
  return found[0] ?? null;
}

const MOST_SHOWN = 100;

function textIn(parts: readonly FormPart[], name: string): string | null {
  return oneOf(parts, name)?.data.toString() ?? null;
}

function wrong(place: string, found: string | null, allowed: string): GatewayError {
  const is = found === null ? "is missing" : `is ${JSON.stringify(found.slice(0, MOST_SHOWN))}`;
  return new GatewayError("invalid_input", `'${place}' ${is}; allowed: ${allowed}.`, { param: place });
}
