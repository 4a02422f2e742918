import { UpstreamError } from "../../wire/client/upstream-error.ts";

/** Why no credential could be made, in a sentence for the operator; never with the credential in it. */
export function credentialError(message: string, cause?: unknown): UpstreamError {
  return new UpstreamError("credential", message, cause);
}
