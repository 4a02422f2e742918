import type { Model } from "../../core/catalog.ts";
import type { VendorCodec, VendorTraits } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { OpaqueFamily } from "../../core/generation.ts";
import { ConverseStreamDecoder } from "./decode-stream.ts";
import { decodeWhole } from "./decode-whole.ts";
import { encodeRequest } from "./encode-request.ts";
import { FAMILY_TRAITS, familyOf } from "./model-family.ts";
import { readError } from "./read-error.ts";

/** Amazon Bedrock's Converse and ConverseStream as a vendor's protocol. */
export const bedrockConverse: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: (target) => new ConverseStreamDecoder(signerOf(target)),
  decodeWhole: (body, target) => decodeWhole(body, signerOf(target)),
  readError,
};

/** Anthropic's signatures are good on every platform that serves its models. */
function signerOf(target: Target): OpaqueFamily {
  return familyOf(target) === "anthropic" ? "anthropic" : "bedrock";
}

/** Anthropic's models that think at levels and know no budget are those that sampling was taken from. */
function takesSampling({ capabilities: { thinking, reasoning = {} } }: Model): boolean {
  return !thinking || reasoning.budget_tokens !== undefined || (reasoning.effort ?? []).length === 0;
}

function traits(target: Target): VendorTraits {
  const family = familyOf(target);
  const samples = family !== "anthropic" || takesSampling(target.model);
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
      // Its tiers have prices of their own.
      service_tier: false,
      cache_hints: cache_points,
      names: false,
    },
    stop_sequences,
    custom_tools: false,
    system_in_place: false,
    hosted_tools: [],
    json_schema: false,
    json_object: false,
    families: family === "anthropic" ? ["bedrock", "anthropic"] : ["bedrock"],
  };
}
