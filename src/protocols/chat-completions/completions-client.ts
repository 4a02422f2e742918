import type { ClientRequest, CollectedInput, EndpointProtocol } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { type BodyCheck, compileBodyCheck } from "../shared/check-body.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { parseBody } from "../shared/parse-json.ts";
import { CompletionRequest, type Prompt, promptsOf } from "./completions-request.ts";

/** The shape of `/v1/completions` (docs/api.md 4.19, docs/rulings.md 215): text that goes on from a text, without messages. */
export const completions: EndpointProtocol = {
  protocol: "completions",
  error_style: "a",
  endpoint: "completions",
  kind: "chat",
  general_error: "invalid_input",
  readRequest,
};

/** The public API's own cap where a request has none. */
export const USUAL_CAP_TOKENS = 16;
/** Tokens that a model may add to each prompt by marks of its own, around a suffix as well: no byte of the request shows them. */
const MARK_TOKENS = 8;

const check: BodyCheck<CompletionRequest> = compileBodyCheck(CompletionRequest, () => "invalid_input");

/** Throws `invalid_json`, and `invalid_input` for what is no request for a completion. */
function readRequest(text: string): ClientRequest {
  const body = parseBody(text);
  const { prompt } = body;
  if (Array.isArray(prompt) && typeof prompt[0] !== "number")
    refuseMore(prompt, { bound: "completion_prompts", place: "prompt", of: "prompts", code: "invalid_input" });
  check(body);
  const { n, best_of, suffix } = body;
  const [shown, made] = [n ?? 1, best_of ?? n ?? 1];
  if (made < shown)
    throw new GatewayError("invalid_input", `'best_of' is ${made}; allowed: at least 'n', which is ${shown}.`, {
      param: "best_of",
    });
  const prompts = promptsOf(body);
  const suffix_bytes = Buffer.byteLength(suffix ?? "");
  return {
    protocol: "completions",
    model: body.model,
    stream: body.stream === true,
    output_cap: body.max_tokens ?? USUAL_CAP_TOKENS,
    // Choices that are made and not shown cost their tokens, too.
    choices: prompts.length * made,
    input_bound_tokens: prompts.reduce((sum, each) => sum + boundOf(each) + suffix_bytes + MARK_TOKENS, 0),
    text,
    body,
    collectInput: (most) => collect(prompts, suffix ?? "", most),
  };
}

/** No token is shorter than a byte; token lists are counted exactly. */
function boundOf(prompt: Prompt): number {
  return typeof prompt === "string" ? Buffer.byteLength(prompt) : prompt.length;
}

/** Texts are counted by their characters, lists of tokens by their tokens. */
function collect(prompts: readonly Prompt[], suffix: string, most_characters: number): CollectedInput {
  const texts = [...prompts.filter((prompt) => typeof prompt === "string"), suffix];
  const lists = prompts.filter((prompt) => typeof prompt !== "string");
  return {
    sample: texts.join("\n").slice(0, most_characters),
    characters: texts.reduce((sum, text) => sum + text.length, 0),
    media_tokens: lists.reduce((sum, list) => sum + list.length, 0),
  };
}
