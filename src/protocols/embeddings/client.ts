import type { ClientRequest, CollectedInput, EndpointProtocol } from "../../core/answer/exchange.ts";
import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { findMembers } from "../shared/json-members.ts";
import { parseBody, parseOrNull } from "../shared/parse-json.ts";
import { type FoundInputs, findInputs } from "./find-inputs.ts";
import { type EmbeddingInput, EmbeddingRequest, inputsOf } from "./wire-request.ts";

/** The shape of `/v1/embeddings` (docs/api.md 4.12, docs/rulings.md 211). */
export const embeddings: EndpointProtocol = {
  protocol: "embeddings",
  error_style: "a",
  endpoint: "embeddings",
  kind: "embedding",
  general_error: "invalid_input",
  most_body_bytes: 8 * 2 ** 20,
  most_input_tokens: 300_000,
  readRequest,
  readBytes,
};

/** The tokens that a model's own marks may add to each input; no byte of the request shows them. */
const MARK_TOKENS = 8;

const check: BodyCheck<EmbeddingRequest> = compileBodyCheck(EmbeddingRequest, () => "invalid_input");

/** Throws `invalid_json`, and `invalid_input` for what is no embedding request. */
function readRequest(text: string): ClientRequest {
  const body = parseBody(text);
  const { input } = body;
  if (Array.isArray(input) && typeof input[0] !== "number")
    refuseMore(input, { bound: "embedding_inputs", place: "input", of: "inputs", code: "invalid_input" });
  refuseEmpty(input);
  check(body);
  const inputs = inputsOf(body);
  return {
    protocol: "embeddings",
    model: body.model,
    stream: false,
    output_cap: 0,
    choices: 1,
    input_bound_tokens: inputs.reduce((sum, each) => sum + boundOf(each), 0),
    text,
    body,
    collectInput: (most_characters) => collect(inputs, most_characters),
  };
}

/**
 * The same of a body whose inputs are texts, which stay the bytes that they are: most of what embeddings carry is theirs, and only a translation
 * reads it. Null for what has to be read as text, of which all that is wrong is said there.
 */
function readBytes(bytes: Buffer): ClientRequest | null {
  const found = findInputs(bytes);
  if (found === null || found.count > REQUEST_BOUNDS.embedding_inputs) return null;
  const body = restOf(found);
  if (body === null) return null;
  const value = bytes.subarray(found.start, found.end);
  let inputs: EmbeddingRequest["input"] | null = null;
  Object.defineProperty(body, "input", {
    enumerable: true,
    get: () => {
      inputs ??= JSON.parse(value.toString()) as EmbeddingRequest["input"];
      return inputs;
    },
  });
  let text: string | null = null;
  return {
    protocol: "embeddings",
    model: body.model,
    stream: false,
    output_cap: 0,
    choices: 1,
    input_bound_tokens: found.text_bytes + found.count * MARK_TOKENS,
    get text() {
      text ??= bytes.toString();
      return text;
    },
    body,
    apart: { rest: found.rest, member: "input", value, count: found.count },
    collectInput: (most_characters) => collect(inputsOf(body), most_characters),
  };
}

/** The body but for its inputs; null where it is not just what it has to be. */
function restOf({ rest }: FoundInputs): EmbeddingRequest | null {
  const body = parseOrNull(rest);
  // Another member of that name, in whichever spelling, would count in place of what was found.
  if (!isObject(body) || body.input !== 0) return null;
  try {
    parseBody(rest);
    check({ ...body, input: "." });
    findMembers(rest);
  } catch {
    return null;
  }
  return body as unknown as EmbeddingRequest;
}

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
