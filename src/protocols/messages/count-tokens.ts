import type { ClientHeaders, ClientRequest, Target, VendorFailure } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { isPlausibleCount } from "../../core/money/usage.ts";
import { parseJson } from "../shared/parse-json.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { refuseVendorState } from "../shared/vendor-state.ts";
import { prepareBody } from "./prepare-body.ts";
import { vendorHeaders } from "./sent-version.ts";
import type { TokenCount } from "./wire-answer.ts";

/** POST /v1/messages/count_tokens (docs/rulings.md 14a): relayed where the vendor speaks messages, else estimated. */

/** A request to count tokens, for a vendor that speaks messages. */
export interface CountExchange {
  /** Appended to the endpoint's base URL. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readCount: typeof readCount;
  /**
   * Reads the body of a vendor's error answer. The statuses 404 and 405 mean that the vendor cannot count: an estimate
   * is sent then.
   */
  readError(status: number, body: string): VendorFailure;
}

/** The vendor's request for a request that `readCountRequest` has checked. */
export function relayCount(request: ClientRequest, target: Target, headers: ClientHeaders): CountExchange {
  refuseVendorState(request, target);
  return {
    path: "/messages/count_tokens",
    body: prepareBody(request, target).body,
    headers: vendorHeaders(request, target, headers),
    readCount,
    readError: readRelayedError,
  };
}

/** Reads the vendor's answer: the body for the client, or the failure. Never throws. */
export function readCount(body: string): { readonly body: string } | { readonly failure: VendorFailure } {
  let count: unknown = null;
  try {
    count = parseJson(body);
  } catch {
    // A body that is not JSON stays null, which is a failure like any other body without a count.
  }
  if (isObject(count) && isPlausibleCount(count.input_tokens)) return { body };
  return { failure: readErrorObject(count) };
}

/** The answer where no vendor counts: the estimated tokens, marked as estimated (docs/api.md 4.9). */
export function estimatedCount(input_tokens: number): TokenCount {
  return { input_tokens, estimated: true };
}
