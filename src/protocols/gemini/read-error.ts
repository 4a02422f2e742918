import type { VendorFailure } from "../../core/exchange.ts";
import { readVendorError } from "../shared/vendor-error.ts";

/**
 * Reads an error answer. A credential that Google does not know, and a place that it does not serve, are 400 there; they
 * are the operator's business and not the client's.
 */
export function readError(status: number, body: string): VendorFailure {
  const failure = readVendorError(status, body);
  const is_ours = status === 400 && /"API_KEY_(INVALID|EXPIRED)"|"FAILED_PRECONDITION"/.test(body);
  return is_ours ? { ...failure, status: 401 } : failure;
}
