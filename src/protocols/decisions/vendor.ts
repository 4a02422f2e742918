import type { DecisionVendorProtocol } from "../../core/decision.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { encodeRequest } from "./encode-request.ts";

/** The vendor protocol of vendors that answer decisions in the shape of `/v1/decisions` (docs/api.md 2.7, 4.6). */
export const decisionsVendor: DecisionVendorProtocol = {
  protocol: "decisions",
  encodeRequest,
  decodeAnswer,
  readError: readRelayedError,
};
