import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";

/** Shorter values may be ordinary words in a sentence: a team's name in a header, a toy key. */
const SHORTEST_SECRET = 8;

/**
 * The failure without the credentials that we sent to the vendor. Protocols remove what looks like a secret from a
 * vendor's sentence; this function removes the actual secrets, also keys that look like ordinary words.
 */
export function withoutCredentials(failure: VendorFailure, vendor: Vendor): VendorFailure {
  const { api_key, aws, headers } = vendor;
  const { param, details, ...rest } = failure;
  const besides = JSON.stringify({ param, details });
  let { message } = failure;
  let is_told = true;
  for (const secret of [
    api_key ?? "",
    aws?.secret_access_key ?? "",
    aws?.session_token ?? "",
    ...Object.values(headers),
  ]) {
    if (secret.length < SHORTEST_SECRET) continue;
    message = message.replaceAll(secret, "[removed]");
    is_told &&= !besides.includes(secret);
  }
  return { ...(is_told ? failure : rest), message };
}
