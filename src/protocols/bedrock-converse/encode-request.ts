import type { EncodedRequest, RequestField } from "../../core/answer/codec.ts";
import type { Target } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { unsaidDetail, unsaidStrictness } from "../shared/unsaid.ts";
import { encodeMessages, encodeSystem } from "./encode-messages.ts";
import { encodeTools } from "./encode-tools.ts";
import { fitToMaker } from "./fit-reasoning.ts";
import { FAMILY_TRAITS, familyOf, type ModelFamily } from "./model-family.ts";
import type { ConverseRequest, InferenceConfig } from "./wire.ts";

/** Encodes a neutral request for Converse or ConverseStream; the model's name is part of the path. */
export function encodeRequest(request: GenerationRequest, target: Target): EncodedRequest {
  const family = familyOf(target);
  const traits = FAMILY_TRAITS[family];
  const ignored: RequestField[] = [];
  const system = encodeSystem(request.messages, traits);
  const tools = encodeTools(request, traits);
  const reasoning = fitToMaker(request, target, family);
  const sampled = fitSampling(request, reasoning.thinks, ignored);
  if (reasoning.ignored) ignored.push("reasoning");
  if (tools.choice_ignored) ignored.push("tool_choice");
  if (tools.cache_ignored) ignored.push("cache_hints");
  const inference = inferenceConfig(sampled);
  const fields = { ...reasoning.fields, ...tools.fields, ...topK(sampled, family) };
  const body: ConverseRequest = {
    messages: encodeMessages(request.messages, traits),
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
    ...(tools.config === undefined ? {} : { toolConfig: tools.config }),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
    ...(family === "anthropic" ? { additionalModelResponseFieldPaths: [stopSequencePath(request.stream)] } : {}),
  };
  const operation = request.stream ? "converse-stream" : "converse";
  const path = `/model/${encodeURIComponent(target.upstream_model)}/${operation}`;
  const unsaid = [...unsaidStrictness(request.tools), ...unsaidDetail(request.messages, ["image", "document"])];
  return { path, body: JSON.stringify(body), headers: {}, ignored: [...ignored, ...unsaid] };
}

/** The place in the maker's own answer of the stop sequence that matched; Converse itself does not report it. */
function stopSequencePath(stream: boolean): string {
  return stream ? "/delta/stop_sequence" : "/stop_sequence";
}

type Sampling = Pick<GenerationRequest, "max_output_tokens" | "temperature" | "top_p" | "top_k" | "stop">;

const LEAST_TOP_P_WITH_THINKING = 0.95;

/**
 * Fits sampling to the target: the API's highest temperature is 1, and thinking of Anthropic's models excludes nearly
 * all sampling.
 */
function fitSampling(request: GenerationRequest, thinks: boolean, ignored: RequestField[]): Sampling {
  const { max_output_tokens, stop } = request;
  let { temperature, top_p, top_k } = request;
  if (temperature !== undefined && (temperature > 1 || thinks)) {
    if (temperature !== 1) ignored.push("temperature");
    temperature = thinks ? undefined : 1;
  }
  if (thinks && top_p !== undefined && top_p < LEAST_TOP_P_WITH_THINKING) {
    ignored.push("top_p");
    top_p = undefined;
  }
  if (thinks && top_k !== undefined) {
    ignored.push("top_k");
    top_k = undefined;
  }
  return {
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(top_k === undefined ? {} : { top_k }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
  };
}

function inferenceConfig({ max_output_tokens, temperature, top_p, stop }: Sampling): InferenceConfig {
  return {
    ...(max_output_tokens === undefined ? {} : { maxTokens: max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { topP: top_p }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
  };
}

function topK({ top_k }: Sampling, family: ModelFamily): object {
  if (top_k === undefined) return {};
  return family === "amazon" ? { inferenceConfig: { topK: top_k } } : { top_k };
}
