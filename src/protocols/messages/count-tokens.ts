import type { ClientHeaders, ClientRequest, Target } from "../../core/answer/exchange.ts";
import { textOfParts } from "../../core/answer/sent-body.ts";
import { isObject } from "../../core/json.ts";
import { isPlausibleCount } from "../../core/money/usage.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { refuseVendorState } from "../shared/vendor-state.ts";
import { prepareBody } from "./prepare-body.ts";
import { vendorHeaders } from "./sent-version.ts";
import type { TokenCount } from "./wire-answer.ts";

/** POST /v1/messages/count_tokens (docs/rulings.md 14a): relayed where the vendor speaks messages, else estimated. */

/** The vendor's request for a request that `readCountRequest` has checked. */
export function relayCount(request: ClientRequest, target: Target, headers: ClientHeaders) {
  refuseVendorState(request, target);
  const body = textOfParts(prepareBody(request, target).parts);
  return { path: "/messages/count_tokens", body, headers: vendorHeaders(request, target, headers) };
}

/** Reads the vendor's answer: the body for the client, or null for what is no count. Never throws. */
export function readCount(body: string): string | null {
  const count = parseOrNull(body);
  return isObject(count) && isPlausibleCount(count.input_tokens) ? body : null;
}

/** The answer where no vendor counts: the estimated tokens, marked as estimated (docs/api.md 4.9). */
export function estimatedCount(input_tokens: number): TokenCount {
  return { input_tokens, estimated: true };
}
