import type { Vendor } from "../../core/catalog.ts";
import type { VendorFailure } from "../../core/exchange.ts";

/** Shorter values may be ordinary words in a sentence: a team's name in a header, a toy key. */
const SHORTEST_SECRET = 8;

/**
 * The failure without the credentials that we sent to the vendor. Protocols remove what looks like a secret from a
 * vendor's sentence; this function removes the actual secrets, also keys that look like ordinary words.
 */
export function withoutCredentials(failure: VendorFailure, vendor: Vendor): VendorFailure {
  const { api_key, aws, headers } = vendor;
  let { message } = failure;
  for (const secret of [
    api_key ?? "",
    aws?.secret_access_key ?? "",
    aws?.session_token ?? "",
    ...Object.values(headers),
  ]) {
    if (secret.length >= SHORTEST_SECRET) message = message.replaceAll(secret, "[removed]");
  }
  return { ...failure, message };
}
