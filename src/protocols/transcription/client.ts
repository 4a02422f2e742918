import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import type { FormPart } from "../../core/answer/form-part.ts";
import { GatewayError } from "../../core/errors.ts";
import { MOST_FORM_BYTES, readFields, type TranscriptFields } from "./form-fields.ts";
import { lengthOfSound } from "./sound-length.ts";

/** The shapes of `/v1/audio/transcriptions` and `/v1/audio/translations` (docs/api.md 4.20, docs/rulings.md 228). */
export const transcriptions: EndpointProtocol = endpointOf("transcriptions");
export const translations: EndpointProtocol = endpointOf("translations");

function endpointOf(protocol: "transcriptions" | "translations"): EndpointProtocol {
  return {
    protocol,
    error_style: "a",
    endpoint: `audio.${protocol}`,
    kind: "transcription",
    general_error: "invalid_input",
    most_body_bytes: MOST_FORM_BYTES,
    readRequest: refuseText,
    readForm: (parts) => readForm(protocol, parts),
  };
}

function refuseText(): ClientRequest {
  throw new GatewayError("invalid_input", "The body is no form; allowed: multipart/form-data with a 'file'.", {
    param: "file",
  });
}

/** The most tokens of a second of sound: today's vendors make 10 to 25. */
const MOST_TOKENS_PER_SECOND = 50;
/** The tokens of a second that an estimate counts. */
const TOKENS_PER_SECOND = 17;
/** The tokens that a model's own marks may add. */
const MARK_TOKENS = 64;

/** The fields of a form, with the likely length of its sound in seconds. */
export interface TranscriptBody
  extends Omit<TranscriptFields, "file">,
    Readonly<Record<string, string | boolean | number>> {
  readonly likely_seconds: number;
}

async function readForm(
  protocol: "transcriptions" | "translations",
  parts: readonly FormPart[],
): Promise<ClientRequest> {
  const { file, ...fields } = readFields(parts);
  const { model, prompt } = fields;
  const { most_seconds, likely_seconds } = await lengthOfSound(file.data, file.content_type);
  const body: TranscriptBody = { ...fields, likely_seconds };
  return {
    protocol,
    model,
    stream: fields.stream,
    output_cap: null,
    choices: 1,
    input_bound_tokens: most_seconds * MOST_TOKENS_PER_SECOND + Buffer.byteLength(prompt) + MARK_TOKENS,
    units: { input_seconds: most_seconds },
    // What stands in the place of a text: a hold looks here for what the input may be.
    text: JSON.stringify({ model, file: "audio" }),
    body,
    form: parts,
    collectInput: (most) => ({
      ...{ sample: prompt.slice(0, most), characters: prompt.length },
      media_tokens: likely_seconds * TOKENS_PER_SECOND,
    }),
  };
}
