import type { Vendor } from "../../core/catalog.ts";
import type { VendorFailure } from "../../core/exchange.ts";

/** Shorter values are words that a sentence may hold by itself: a team's name in a header, a toy key. */
const SHORTEST_SECRET = 8;

/**
 * The failure without what we sent the vendor to show who we are. Protocols remove what looks like a secret from a
 * vendor's sentence; this removes what is one, also where a vendor repeats a key that looks like any word.
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
