import type { GatewayError } from "../../core/errors.ts";

/** Style A's error object (docs/api.md 2.10). */
export interface StyleAError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

/** An error in style A's shape: the body of an answer, and the data of the last event of a broken chat stream. */
export function styleAError(error: GatewayError): StyleAError {
  return { error: { message: error.message, type: error.row.type_a, param: error.param, code: error.code } };
}
