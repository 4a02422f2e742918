import type { CollectedInput } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { plainEndpoint } from "../shared/plain-endpoint.ts";
import { type EmbeddingInput, EmbeddingRequest, inputsOf } from "./wire-request.ts";

/** The tokens that a model's own marks may add to each input; no byte of the request shows them. */
const MARK_TOKENS = 8;

/** The shape of `/v1/embeddings` (docs/api.md 4.12, docs/rulings.md 211). */
export const embeddings = plainEndpoint({
  protocol: "embeddings",
  endpoint: "embeddings",
  kind: "embedding",
  most_body_bytes: 8 * 2 ** 20,
  most_input_tokens: 300_000,
  schema: EmbeddingRequest,
  refuse: ({ input }) => {
    if (Array.isArray(input) && typeof input[0] !== "number")
      refuseMore(input, { bound: "embedding_inputs", place: "input", of: "inputs", code: "invalid_input" });
    refuseEmpty(input);
  },
  read: (body) => {
    const inputs = inputsOf(body);
    return {
      model: body.model,
      input_bound_tokens: inputs.reduce((sum, each) => sum + boundOf(each), 0),
      collectInput: (most_characters) => collect(inputs, most_characters),
    };
  },
});

/** No token is shorter than a byte; token lists are counted exactly. */
function boundOf(input: EmbeddingInput): number {
  return MARK_TOKENS + (typeof input === "string" ? Buffer.byteLength(input) : input.length);
}

/** Vendors refuse a text without a token, or break at it, and say only that a request of many inputs is wrong. */
function refuseEmpty(input: unknown): void {
  const at = Array.isArray(input) ? input.findIndex(isEmpty) : -1;
  if (at === -1 && !isEmpty(input)) return;
  const place = at === -1 ? "input" : `input[${at}]`;
  throw new GatewayError("invalid_input", `'${place}' is empty; allowed: a text or a list of tokens that is not.`, {
    param: place,
  });
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** The texts are counted, and tokens are tokens. */
function collect(inputs: readonly EmbeddingInput[], most_characters: number): CollectedInput {
  let sample = "";
  let characters = 0;
  let media_tokens = 0;
  for (const input of inputs) {
    if (typeof input !== "string") {
      media_tokens += input.length;
      continue;
    }
    characters += input.length;
    if (sample.length < most_characters) sample += input.slice(0, most_characters - sample.length);
  }
  return { sample, characters, media_tokens };
}
