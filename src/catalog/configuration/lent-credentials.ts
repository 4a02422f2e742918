import type { CredentialHeader, Vendor } from "../../core/catalog/catalog.ts";
import { withCredentials } from "../reading/read-credentials.ts";
import { materialOf } from "../reading/read-vendor.ts";

/**
 * A credential goes only where whoever gave it sent it (docs/adr/0042): an administrator may change a vendor's address in the console
 * and must not learn the credential by it.
 */

/** The servers that a vendor's requests go to: scheme, host and port. */
export function originsOf({ endpoints }: Pick<Vendor, "endpoints">): string[] {
  return [...new Set(endpoints.map(({ base_url }) => URL.parse(base_url)?.origin ?? base_url))].toSorted();
}

export function staysWithin(vendor: Pick<Vendor, "endpoints">, origins: readonly string[]): boolean {
  return originsOf(vendor).every((origin) => origins.includes(origin));
}

/**
 * A vendor of the console with the credential and the headers that the file or the environment has for it, where its requests go to
 * the same servers. Its own headers come before the file's.
 */
export function withLentCredentials(own: Vendor, below: Vendor | null): Vendor {
  if (below === null || !staysWithin(own, originsOf(below))) return own;
  const { aws, api_keys } = below;
  const travels = travelsOf(below);
  const credentials = {
    api_key: below.api_key,
    ...(api_keys !== undefined && { api_keys }),
    ...(aws !== undefined && { aws }),
    ...(travels !== null && { travels }),
  };
  return {
    ...own,
    ...materialOf(credentials),
    headers: { ...below.headers, ...own.headers },
    endpoints: withCredentials(own.endpoints, credentials),
  };
}

/** How a credential travels where that does not follow from the protocol. */
function travelsOf({ endpoints, aws }: Vendor): CredentialHeader | null {
  const has = (way: CredentialHeader) => endpoints.some(({ credential }) => credential === way);
  if (has("google-service-account")) return "google-service-account";
  return aws !== undefined && has("sigv4") ? "sigv4" : null;
}
