import { GatewayError } from "../../core/errors.ts";

/**
 * The 400 error for a part of a request that only a vendor of this protocol understands. `place` is its path in the
 * body.
 */
export function onlyInResponses(place: string, what: string): GatewayError {
  const message = `'${place}' is ${what}, which this model cannot take: it is not reached by responses.`;
  return new GatewayError("unsupported_responses_feature", message, { param: place });
}
