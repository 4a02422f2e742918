import { plainEndpoint } from "../shared/plain-endpoint.ts";
import { SpeechRequest } from "./wire-request.ts";

/** The tokens that a model's own marks may add; no byte of the request shows them. */
const MARK_TOKENS = 16;

/** The shape of `/v1/audio/speech` (docs/api.md 4.15, docs/rulings.md 221). */
export const speech = plainEndpoint({
  protocol: "speech",
  endpoint: "audio.speech",
  kind: "speech",
  most_body_bytes: 256 * 2 ** 10,
  schema: SpeechRequest,
  read: ({ model, input, instructions }) => {
    const read = instructions == null ? input : `${input}\n${instructions}`;
    return {
      model,
      // The answer passes through as it comes, whichever form it has.
      stream: true,
      output_cap: null,
      input_bound_tokens: Buffer.byteLength(read) + MARK_TOKENS,
      units: { input_characters: charactersOf(input) },
      collectInput: (most) => ({ sample: read.slice(0, most), characters: read.length, media_tokens: 0 }),
    };
  },
});

/** Characters of Unicode, as vendors count them: a pair of surrogates is one. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
