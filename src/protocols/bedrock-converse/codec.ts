import type { VendorCodec, VendorTraits } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest, OpaqueFamily } from "../../core/generation.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { asksReasoning, claudeTakesSampling, refusesSampling } from "../shared/sampling.ts";
import { ConverseStreamDecoder } from "./decode-stream.ts";
import { decodeWhole } from "./decode-whole.ts";
import { encodeRequest } from "./encode-request.ts";
import { FAMILY_TRAITS, familyOf } from "./model-family.ts";
import { readError } from "./read-error.ts";

/** Amazon Bedrock's Converse and ConverseStream as a vendor protocol. */
export const bedrockConverse: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: (target) => new ConverseStreamDecoder(signerOf(target)),
  decodeWhole: (body, target) => decodeWhole(body, signerOf(target)),
  readError,
};

/**
 * The family whose signatures the model makes. Anthropic's signatures are valid on every platform that serves its
 * models.
 */
function signerOf(target: Target): OpaqueFamily {
  return familyOf(target) === "anthropic" ? "anthropic" : "bedrock";
}

function traits(target: Target, request?: GenerationRequest): VendorTraits {
  const family = familyOf(target);
  const asks = request !== undefined && asksReasoning(request);
  const samples =
    family === "anthropic" ? claudeTakesSampling(target.model, request) : !refusesSampling(target.model, asks);
  const { top_k, stop_sequences, cache_points, call_control } = FAMILY_TRAITS[family];
  return {
    honours: {
      parallel_tool_calls: call_control,
      temperature: samples,
      top_p: samples,
      top_k: top_k && samples,
      presence_penalty: false,
      frequency_penalty: false,
      seed: false,
      logprobs: false,
      logit_bias: false,
      verbosity: false,
      end_user: false,
      metadata: false,
      prompt_cache_key: false,
      // Bedrock's service tiers have prices of their own, which are not in the catalogue.
      service_tier: false,
      cache_hints: cache_points,
      names: false,
    },
    stop_sequences,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.converse,
    hosted_tools: [],
    json_schema: false,
    json_object: false,
    families: family === "anthropic" ? ["bedrock", "anthropic"] : ["bedrock"],
  };
}
