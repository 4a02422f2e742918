import type { EncodedRequest } from "../../core/answer/codec.ts";
import type {
  DecisionClientRequest,
  DecisionVendorProtocol,
  EncodedBytes,
  VendorDecision,
} from "../../core/answer/decision.ts";
import type { ClientHeaders, Exchange, WholeBody } from "../../core/answer/exchange.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import { targetOf } from "../plan/prospects.ts";

/** A decision request prepared for one vendor. */
export interface DecisionExchange extends Pick<Exchange, "path" | "headers" | "ignored" | "readError"> {
  readonly body: string | Uint8Array;
  /**
   * Throws a GatewayError `upstream_invalid_response` for an answer that is incomplete or invalid (docs/rulings.md 32,
   * 38).
   */
  readDecision(body: WholeBody): VendorDecision;
}

/** Throws a GatewayError where the vendor does not support the request; rejects with it where another thread has the input. */
export function prepareDecision(
  candidate: PricedCandidate & { readonly protocol: DecisionVendorProtocol },
  { decision, remote }: DecisionClientRequest,
  headers: ClientHeaders,
): DecisionExchange | Promise<DecisionExchange> {
  const { protocol } = candidate;
  const target = targetOf(candidate);
  if (remote === undefined) return exchangeOf(protocol, decision, protocol.encodeRequest(decision, target, headers));
  return remote.encodeDecision(target).then((encoded) => exchangeOf(protocol, decision, encoded));
}

function exchangeOf(
  protocol: DecisionVendorProtocol,
  decision: DecisionClientRequest["decision"],
  encoded: EncodedRequest | EncodedBytes,
): DecisionExchange {
  return {
    ...encoded,
    readDecision: (body) => protocol.decodeAnswer(body, decision),
    readError: (status, body) => protocol.readError(status, body),
  };
}
