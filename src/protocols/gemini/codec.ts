import type { VendorCodec, VendorTraits } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { GeminiStreamDecoder } from "./decode-stream.ts";
import { decodeWhole } from "./decode-whole.ts";
import { encodeRequest } from "./encode-request.ts";
import { readError } from "./read-error.ts";

/** Gemini's `generateContent`, of the Gemini API and of Vertex AI, as a vendor protocol. */
export const gemini: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: () => new GeminiStreamDecoder(),
  decodeWhole,
  readError,
};

function traits({ model }: Target, request?: GenerationRequest): VendorTraits {
  const is_gemini_3 = isGemini3(model);
  // Before Gemini 3 the API refuses structured output beside tools.
  const formats = is_gemini_3 || (request?.tools.length ?? 0) === 0;
  return {
    honours: {
      parallel_tool_calls: false,
      temperature: true,
      top_p: true,
      top_k: true,
      // All current models answer "Penalty is not enabled for this model".
      presence_penalty: false,
      frequency_penalty: false,
      seed: true,
      logprobs: true,
      logit_bias: false,
      verbosity: false,
      end_user: false,
      metadata: false,
      prompt_cache_key: false,
      // The API's tiers have their own prices.
      service_tier: false,
      cache_hints: false,
      names: false,
    },
    stop_sequences: true,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.gemini,
    hosted_tools: [],
    json_schema: formats,
    json_object: formats,
    families: ["google"],
  };
}
