import type { CredentialHeader, VendorEndpoint, VendorQuirks } from "../../core/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";

/** A vendor that Camino knows: what a configuration need not say about it. */
export interface VendorRow {
  readonly id: string;
  readonly name: string;
  /** In order of preference. A base URL may name a variable of the environment: `https://${NAME}.example/v1`. */
  readonly endpoints: readonly VendorEndpoint[];
  /** Variables that may hold the credential; the first that is set wins. */
  readonly api_key_env: readonly string[];
  /** `aws`: without a key, requests are signed with AWS's usual variables. */
  readonly signs?: "aws";
  /**
   * Set for servers that people run themselves: the variable that tells where it listens, and so that it is to be used.
   * Such a server needs no credential.
   */
  readonly server_env?: string;
  readonly forwards_safety_identifier: boolean;
  readonly quirks: VendorQuirks;
}

/** Writes a row down with as little as it takes: what is left out is the usual thing. */
export function vendor(
  id: string,
  name: string,
  endpoints: readonly VendorEndpoint[],
  rest: Partial<VendorRow>,
): VendorRow {
  return { id, name, endpoints, api_key_env: [], forwards_safety_identifier: false, quirks: {}, ...rest };
}

/** One endpoint; the credential travels as the protocol's own clients send it unless the vendor wants it otherwise. */
export function endpoint(protocol: Protocol, base_url: string, credential = usualCredential(protocol)): VendorEndpoint {
  return { protocol, base_url, credential };
}

/** Several protocols at one address. */
export function endpoints(
  base_url: string,
  protocols: readonly Protocol[],
  credential?: CredentialHeader,
): VendorEndpoint[] {
  return protocols.map((protocol) => endpoint(protocol, base_url, credential));
}

/** How the credential travels where nothing else is known. */
export function usualCredential(protocol: Protocol): CredentialHeader {
  if (protocol === "messages") return "x-api-key";
  return protocol === "gemini" ? "x-goog-api-key" : "bearer";
}
