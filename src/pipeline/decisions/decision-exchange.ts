import type { DecisionRequest, DecisionVendorProtocol, VendorDecision } from "../../core/decision.ts";
import type { ClientHeaders, Exchange, WholeBody } from "../../core/exchange.ts";
import { type PricedCandidate, targetOf } from "../generation/plan.ts";

/** A decision request made ready for one vendor. */
export interface DecisionExchange extends Pick<Exchange, "path" | "headers" | "body" | "ignored" | "readError"> {
  /** Throws a GatewayError `upstream_invalid_response` for what is no whole answer (docs/rulings.md 32, 38). */
  readDecision(body: WholeBody): VendorDecision;
}

/** Throws a GatewayError where the vendor cannot be asked this. */
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
