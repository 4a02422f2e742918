import { GatewayError } from "../../core/errors.ts";
import { MalformedMessage } from "../grammar/malformed-message.ts";

/**
 * The error for a client whose bytes could not be parsed; null where the fault is the gateway's (docs/rulings.md 91).
 */
export function refusalOf(thrown: unknown): GatewayError | null {
  if (thrown instanceof GatewayError) return thrown;
  if (!(thrown instanceof MalformedMessage)) return null;
  const why = `The request cannot be read as HTTP/1.1: ${thrown.message}.`;
  return new GatewayError("invalid_request", why, { cause: thrown });
}

/** The error for a client whose request takes too long to come. */
export function tooSlow(part: "head" | "body"): GatewayError {
  return new GatewayError("request_timeout", `The request's ${part} came too slowly.`, { retry_after_ms: 1000 });
}
