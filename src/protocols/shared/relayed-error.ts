import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { ErrorDetails } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { parseOrNull } from "./parse-json.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { readVendorError } from "./vendor-error.ts";

/**
 * A vendor's error answer to a relayed body, as `readVendorError` reads it, and with what clients of this protocol act on:
 * `param` in style A, `details` in style B (docs/rulings.md 19). Only a relay has them, as a translated body has other
 * places. Never throws.
 */
export function readRelayedError(status: number, body: string): VendorFailure {
  const failure = readVendorError(status, body);
  const parsed = parseOrNull(body);
  if (!isObject(parsed) || !isObject(parsed.error)) return failure;
  const { error } = parsed;
  const details = isObject(error.details) ? toldDetails(error.details) : null;
  return { ...failure, ...(isPlace(error.param) && { param: error.param }), ...(details !== null && { details }) };
}

/** A place in a body, such as `messages[0].content[1].image_url`, and no sentence. */
function isPlace(value: unknown): value is string {
  return typeof value === "string" && /^[\w$.[\]-]{1,200}$/.test(value) && redactSecrets(value) === value;
}

const MOST_MEMBERS = 16;
/** Of the details as JSON. */
const MOST_CHARACTERS = 4000;

/** Words of the operator's own relation to the vendor, which is nobody else's business. */
const OF_THE_OPERATOR =
  /organi[sz]ation|workspace|project|account|tenant|subscription|contract|billing|credit|balance|quota|limit_reached|spend|cost|price|cmek|key|request_id|trace|provider|upstream/i;

/** Members that tell of the request: plain values and lists of them. Null where there are none, or too many. */
function toldDetails(details: JsonRecord): ErrorDetails | null {
  const told = Object.entries(details).filter((member): member is [string, ErrorDetails[string]] => isTold(...member));
  if (told.length === 0 || told.length > MOST_MEMBERS) return null;
  const found: ErrorDetails = Object.fromEntries(told);
  return JSON.stringify(found).length <= MOST_CHARACTERS ? found : null;
}

function isTold(name: string, value: unknown): boolean {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name) || OF_THE_OPERATOR.test(name)) return false;
  return Array.isArray(value) ? value.every(isPlain) : isPlain(value);
}

function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !OF_THE_OPERATOR.test(value) && redactSecrets(value) === value;
  return value === null || typeof value === "number" || typeof value === "boolean";
}
