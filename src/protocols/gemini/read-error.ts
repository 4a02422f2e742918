import type { VendorFailure } from "../../core/exchange.ts";
import { readVendorError } from "../shared/vendor-error.ts";

/**
 * Reads an error answer. A credential that Google does not know, and a location that it does not serve, have status 400
 * there. They are faults of the operator, not of the client, and become 401.
 */
export function readError(status: number, body: string): VendorFailure {
  const failure = readVendorError(status, body);
  const is_ours = status === 400 && /"API_KEY_(INVALID|EXPIRED)"|"FAILED_PRECONDITION"/.test(body);
  return is_ours ? { ...failure, status: 401 } : failure;
}
