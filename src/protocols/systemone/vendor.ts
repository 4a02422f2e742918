import type { DecisionVendorProtocol } from "../../core/decision.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { encodeRequest } from "./encode-request.ts";

/**
 * The vendor protocol of vendors that answer decisions in the keyed shape of `/v1/systemone` (docs/api.md 2.7, 4.7).
 */
export const systemoneVendor: DecisionVendorProtocol = {
  protocol: "systemone",
  encodeRequest,
  decodeAnswer,
  readError: readVendorError,
};
