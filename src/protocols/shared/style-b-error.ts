import type { GatewayError } from "../../core/errors.ts";

/** Style B's error object (docs/api.md 2.10). */
export interface StyleBError {
  readonly type: "error";
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
}

/** An error as style B tells it: the body of an answer, and the data of an `error` event of a broken stream. */
export function styleBError(error: GatewayError, request_id: string): StyleBError {
  return { type: "error", error: { type: error.row.type_b, message: error.message }, request_id };
}
