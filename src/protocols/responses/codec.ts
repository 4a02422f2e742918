import type { ClientCodec, VendorCodec } from "../../core/codec.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { wantsCompaction } from "./compaction.ts";
import { decodeRequest } from "./decode-request.ts";
import { decodeResponse } from "./decode-response.ts";
import { ResponsesStreamDecoder } from "./decode-stream.ts";
import { CompactionEncoder, encodeWholeCompaction } from "./encode-compaction.ts";
import { encodeRequest, responsesTraits } from "./encode-request.ts";
import { encodeResponse } from "./encode-response.ts";
import { ResponsesStreamEncoder } from "./encode-stream.ts";

/** Translates between responses clients and the neutral form, for a vendor of any protocol. */
export const responsesClientCodec: ClientCodec = {
  refusal: "unsupported_responses_feature",
  names: {
    messages: "input",
    format: "text.format",
    verbosity: "text.verbosity",
    logprobs: "top_logprobs",
    end_user: "safety_identifier",
    cache_hints: "prompt_cache_breakpoint",
  },
  decodeRequest,
  openEncoder: (context) =>
    wantsCompaction(context.body.input) ? new CompactionEncoder(context) : new ResponsesStreamEncoder(context),
  encodeWhole: (answer, context) =>
    wantsCompaction(context.body.input) ? encodeWholeCompaction(answer, context) : encodeResponse(answer, context),
};

/** Translates between the neutral form and responses vendors, for a client of any protocol. */
export const responsesVendorCodec: VendorCodec = {
  traits: responsesTraits,
  encodeRequest,
  openDecoder: () => new ResponsesStreamDecoder(),
  decodeWhole: (body) => decodeResponse(body),
  readError: readVendorError,
};
