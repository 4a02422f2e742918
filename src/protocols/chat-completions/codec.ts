import type { ClientCodec, VendorCodec } from "../../core/codec.ts";
import { isObject } from "../../core/json.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { ChatStreamDecoder } from "./decode-stream.ts";
import { chatTraits, encodeRequest } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { ChatStreamEncoder } from "./encode-stream.ts";

/** The codec for chat clients, whatever protocol their model's vendor speaks. */
export const chatClientCodec: ClientCodec = {
  refusal: "unsupported_parameter",
  names: {
    max_output_tokens: "max_completion_tokens",
    format: "response_format",
    reasoning: "reasoning_effort",
    end_user: "safety_identifier",
    include_usage: "stream_options",
    cache_hints: "cache_control",
    names: "messages.name",
  },
  decodeRequest,
  openEncoder: (context) => new ChatStreamEncoder(context),
  encodeWhole: encodeResponse,
};

/** The codec for chat vendors, whatever protocol the client speaks. */
export const chatVendorCodec: VendorCodec = {
  traits: chatTraits,
  encodeRequest,
  openDecoder: (_target, request) => new ChatStreamDecoder(request),
  decodeWhole: (body, _target, request) => decodeResponse(body, request),
  readError: readVendorError,
};

/**
 * The codec for clients that send a responses request to the chat endpoint: requests are decoded as responses, answers
 * are encoded as chat (docs/rulings.md 14b). `responses` is the client codec of the responses protocol.
 */
export function responsesInChatCodec(responses: ClientCodec): ClientCodec {
  return {
    ...chatClientCodec,
    refusal: responses.refusal,
    names: responses.names,
    decodeRequest(request) {
      const options = request.body.stream_options;
      const wants_usage = isObject(options) && options.include_usage === true;
      return { ...responses.decodeRequest(request), ...(wants_usage && { include_usage: true }) };
    },
  };
}
