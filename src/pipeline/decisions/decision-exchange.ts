import type { DecisionRequest, DecisionVendorProtocol, VendorDecision } from "../../core/decision.ts";
import type { ClientHeaders, Exchange, WholeBody } from "../../core/exchange.ts";
import { type PricedCandidate, targetOf } from "../generation/plan.ts";

/** A decision request prepared for one vendor. */
export interface DecisionExchange extends Pick<Exchange, "path" | "headers" | "body" | "ignored" | "readError"> {
  /**
   * Throws a GatewayError `upstream_invalid_response` for an answer that is incomplete or invalid (docs/rulings.md 32,
   * 38).
   */
  readDecision(body: WholeBody): VendorDecision;
}

/** Throws a GatewayError where the vendor does not support the request. */
export function prepareDecision(
  candidate: PricedCandidate & { readonly protocol: DecisionVendorProtocol },
  decision: DecisionRequest,
  headers: ClientHeaders,
): DecisionExchange {
  const { protocol } = candidate;
  return {
    ...protocol.encodeRequest(decision, targetOf(candidate), headers),
    readDecision: (body) => protocol.decodeAnswer(body, decision),
    readError: (status, body) => protocol.readError(status, body),
  };
}
