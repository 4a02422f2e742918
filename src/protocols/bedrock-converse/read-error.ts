import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { JsonRecord } from "../../core/json.ts";
import { readVendorError } from "../shared/vendor-error.ts";

/** The HTTP statuses of the exceptions that may come inside a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  modelErrorException: 424,
  modelStreamErrorException: 424,
  throttlingException: 429,
  modelNotReadyException: 429,
  serviceQuotaExceededException: 429,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

/** The failure that an exception in a stream stands for, by its name. */
export function readException(name: string, payload: JsonRecord): VendorFailure {
  const status = STATUSES[name.charAt(0).toLowerCase() + name.slice(1)] ?? 502;
  return { ...readError(status, JSON.stringify(payload)), status };
}

/**
 * Reads an error answer. A quota that is used up has status 400 there; it is a rate limit (429), not the client's
 * fault.
 */
export function readError(status: number, body: string): VendorFailure {
  return readVendorError(status === 400 && /service quota/i.test(body) ? 429 : status, body);
}
