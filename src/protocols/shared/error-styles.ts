import type { ErrorDetails, GatewayError } from "../../core/errors.ts";

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

/** Style B's error object (docs/api.md 2.10). */
interface StyleBError {
  readonly type: "error";
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: ErrorDetails;
  };
  readonly request_id: string;
}

/** An error in style B's shape: the body of an answer, and the data of an `error` event of a broken stream. */
export function styleBError(error: GatewayError, request_id: string): StyleBError {
  const { row, message, details } = error;
  const told = { type: row.type_b, message, ...(details === null ? {} : { details }) };
  return { type: "error", error: told, request_id };
}
