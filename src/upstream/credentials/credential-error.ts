import { UpstreamError } from "../../wire/client/upstream-error.ts";

/** The error where no credential can be made: a sentence for the operator, never with the credential in it. */
export function credentialError(message: string, cause?: unknown): UpstreamError {
  return new UpstreamError("credential", message, cause);
}
