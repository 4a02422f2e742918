import { GatewayError } from "../../core/errors.ts";

/** The error of a request whose client has left: no client gets it. Calls are closed early for no other reason. */
export function clientLeft(cause?: unknown): GatewayError {
  return new GatewayError("provider_error", "The client left before the answer began.", {
    retry_after_ms: 1000,
    cause,
  });
}
