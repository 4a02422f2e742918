import type { ErrorDetails, GatewayError } from "../../core/errors.ts";

/** Style B's error object (docs/api.md 2.10). */
export interface StyleBError {
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
