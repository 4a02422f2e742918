import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { ClientRequest, Target, ProtocolAdapter } from "../../core/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { pathOf } from "./explain.ts";
import { findVendorReference, type VendorReference } from "./vendor-state.ts";

/** An adapter on which no request reaches another account's files or conversations at the vendor (docs/rulings.md 149). */
export function keepAccountsApart(adapter: ProtocolAdapter): ProtocolAdapter {
  return {
    prepare(request, target, headers) {
      refuseVendorState(request, target);
      return adapter.prepare(request, target, headers);
    },
  };
}

/**
 * Throws 400, with the member's name, for a request that names what its vendor keeps, unless the vendor's row says
 * `shared_state: allow`. Items that the gateway itself recalled for the account pass to the vendor that made them.
 */
export function refuseVendorState({ protocol, body, memory }: ClientRequest, { vendor }: Target): void {
  if (vendor.shared_state === "allow") return;
  const recalled = memory?.recalled;
  const isOwn =
    recalled === undefined || recalled.size === 0 ? never : (item: object) => recalled.get(item)?.vendor === vendor.id;
  const found = findVendorReference(body, isOwn);
  if (found !== null) throw refusal(protocol, vendor.id, found);
}

function never(): false {
  return false;
}

function refusal(protocol: Protocol, vendor: string, { steps, what }: VendorReference): GatewayError {
  const place = pathOf(steps);
  const message = `'${place}' names ${what} that the vendor ${vendor} keeps, where all accounts of this gateway are one customer: it is not relayed. Send the content itself; the operator can allow it with 'shared_state: allow' in the vendor's settings.`;
  return new GatewayError(codeOf(protocol, what), message, { param: place });
}

function codeOf(protocol: Protocol, what: string): ErrorCode {
  if (protocol === "messages") return "invalid_request";
  if (protocol !== "responses" && protocol !== "responses-in-chat") return "unsupported_parameter";
  if (what === "a stored response") return "previous_response_not_found";
  return what === "a stored item" ? "item_not_found" : "unsupported_responses_feature";
}
