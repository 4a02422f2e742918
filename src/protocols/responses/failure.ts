import type { VendorFailure } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { readErrorObject } from "../shared/vendor-error.ts";

/** Codes for faults of the client's own input. Other codes are read by their names, as in every protocol. */
const CLIENT_FAULTS: ReadonlySet<string> = new Set([
  "invalid_prompt",
  "bio_policy",
  "misalignment_policy_violation",
  "data_residency_mismatch",
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "invalid_image_mode",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "image_content_policy_violation",
  "image_file_too_large",
  "image_file_not_found",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
]);

/** Reads a failed response, an `error` event (flat, or with an `error` object in it) or a `response.failed` event. */
export function readFailure(data: unknown): VendorFailure {
  const failure = readErrorObject(data);
  const code = codeOf(data);
  return code !== null && CLIENT_FAULTS.has(code) ? { ...failure, status: 400 } : failure;
}

function codeOf(data: unknown): string | null {
  const holder = isObject(data) && isObject(data.response) ? data.response : data;
  const error = isObject(holder) && isObject(holder.error) ? holder.error : holder;
  return isObject(error) && typeof error.code === "string" ? error.code : null;
}
