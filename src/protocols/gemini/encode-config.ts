import { GatewayError } from "../../core/errors.ts";
import type { GenerationRequest, OutputFormat } from "../../core/generation.ts";
import { fitSchema } from "./json-schema.ts";
import type { GenerationConfig, ThinkingConfig } from "./wire.ts";

/** The settings of a request; undefined when it has none. */
export function encodeConfig(
  request: GenerationRequest,
  thinking: ThinkingConfig | undefined,
): GenerationConfig | undefined {
  const { max_output_tokens, temperature, top_p, top_k, seed, stop, logprobs, format } = request;
  const { presence_penalty, frequency_penalty } = request;
  const config: GenerationConfig = {
    ...(max_output_tokens === undefined ? {} : { maxOutputTokens: max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { topP: top_p }),
    ...(top_k === undefined ? {} : { topK: top_k }),
    ...(presence_penalty === undefined ? {} : { presencePenalty: presence_penalty }),
    ...(frequency_penalty === undefined ? {} : { frequencyPenalty: frequency_penalty }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: checkedStop(stop) }),
    ...(logprobs === undefined ? {} : { responseLogprobs: true }),
    ...(logprobs === undefined || logprobs.top === 0 ? {} : { logprobs: logprobs.top }),
    ...(format === undefined ? {} : encodeFormat(format)),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

const MOST_STOP_SEQUENCES = 5;

function checkedStop(stop: readonly string[]): readonly string[] {
  if (stop.length <= MOST_STOP_SEQUENCES) return stop;
  throw new GatewayError(
    "unsupported_parameter",
    `'stop' holds ${stop.length} sequences; allowed for this model: at most ${MOST_STOP_SEQUENCES}.`,
    { param: "stop" },
  );
}

function encodeFormat(format: OutputFormat): Pick<GenerationConfig, "responseMimeType" | "responseJsonSchema"> {
  switch (format.type) {
    case "text":
      return {};
    case "json-object":
      return { responseMimeType: "application/json" };
    case "json-schema":
      return { responseMimeType: "application/json", responseJsonSchema: fitSchema(format.schema).schema };
  }
}
