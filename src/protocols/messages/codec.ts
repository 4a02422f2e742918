import type { ClientCodec, VendorCodec, VendorTraits } from "../../core/codec.ts";
import type { Target } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import { LEGAL_CALL_IDS } from "../shared/call-ids.ts";
import { claudeTakesSampling } from "../shared/sampling.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { MessagesDecoder } from "./decode-stream.ts";
import { encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { MessagesEncoder } from "./encode-stream.ts";
import { fitSchema } from "./fit-schema.ts";

/** The codec for clients of messages, for models that are reached through another protocol. */
export const messagesClientCodec: ClientCodec = {
  refusal: "invalid_request",
  names: {
    max_output_tokens: "max_tokens",
    stop: "stop_sequences",
    reasoning: "thinking",
    format: "output_config.format",
    end_user: "metadata.user_id",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
    cache_hints: "cache_control",
  },
  decodeRequest,
  openEncoder: (context) => new MessagesEncoder(context),
  encodeWhole: encodeResponse,
};

/** The codec for vendors of messages, for clients of other protocols. */
export const messagesVendorCodec: VendorCodec = {
  traits,
  encodeRequest,
  openDecoder: () => new MessagesDecoder(),
  decodeWhole: decodeResponse,
  readError: readVendorError,
};

function traits({ model, vendor }: Target, request?: GenerationRequest): VendorTraits {
  const refused = new Set(vendor.quirks.unsupported_fields);
  const takes = (field: string) => !refused.has(field);
  const samples = claudeTakesSampling(model, request);
  return {
    honours: {
      parallel_tool_calls: true,
      temperature: samples && takes("temperature"),
      top_p: samples && takes("top_p"),
      top_k: samples && takes("top_k"),
      presence_penalty: false,
      frequency_penalty: false,
      seed: false,
      logprobs: false,
      logit_bias: false,
      verbosity: false,
      end_user: takes("metadata"),
      metadata: false,
      prompt_cache_key: false,
      service_tier: takes("service_tier"),
      cache_hints: true,
      names: false,
    },
    // Vendors refuse a stop sequence of only white space, so the gateway applies it itself.
    stop_sequences: takes("stop_sequences") && request?.stop?.some((stop) => stop.trim() === "") !== true,
    custom_tools: false,
    system_in_place: false,
    call_ids: LEGAL_CALL_IDS.messages,
    hosted_tools: [],
    json_schema: takes("output_config") && canSay(request),
    json_object: false,
    families: ["anthropic"],
  };
}

function canSay(request: GenerationRequest | undefined): boolean {
  return request?.format?.type !== "json-schema" || fitSchema(request.format.schema) !== null;
}
