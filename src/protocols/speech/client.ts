import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { parseBody } from "../shared/parse-json.ts";
import { SpeechRequest } from "./wire-request.ts";

/** The shape of `/v1/audio/speech` (docs/api.md 4.15, docs/rulings.md 221). */
export const speech: EndpointProtocol = {
  protocol: "speech",
  error_style: "a",
  endpoint: "audio.speech",
  kind: "speech",
  general_error: "invalid_input",
  most_body_bytes: 256 * 2 ** 10,
  readRequest,
};

/** The tokens that a model's own marks may add; no byte of the request shows them. */
const MARK_TOKENS = 16;

const check: BodyCheck<SpeechRequest> = compileBodyCheck(SpeechRequest, () => "invalid_input");

/** Throws `invalid_json`, and `invalid_input` for what is no request for speech. Its answer passes through as it comes, in either form. */
function readRequest(text: string): ClientRequest {
  const body = parseBody(text);
  check(body);
  const { model, input } = body;
  const read = body.instructions == null ? input : `${input}\n${body.instructions}`;
  return {
    protocol: "speech",
    model,
    stream: true,
    output_cap: null,
    choices: 1,
    input_bound_tokens: Buffer.byteLength(read) + MARK_TOKENS,
    units: { input_characters: charactersOf(input) },
    text,
    body,
    collectInput: (most) => ({ sample: read.slice(0, most), characters: read.length, media_tokens: 0 }),
  };
}

/** Characters of Unicode, as vendors count them: a pair of surrogates is one. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
