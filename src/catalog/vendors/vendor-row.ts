import type { CredentialHeader, RankingDialect, VendorEndpoint, VendorQuirks } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";

/** A vendor that Camino knows: the facts that a configuration may leave out. */
export interface VendorRow {
  readonly id: string;
  readonly name: string;
  /**
   * Endpoints in order of preference. A base URL may name a variable of the environment: `https://${NAME}.example/v1`.
   */
  readonly endpoints: readonly VendorEndpoint[];
  /** Environment variables that may hold the credential; the first variable that is set wins. */
  readonly api_key_env: readonly string[];
  /** `aws`: without a key, requests are signed with the credentials in AWS's usual variables. */
  readonly signs?: "aws";
  /**
   * Set for servers that people run themselves: the variable with the server's address, which also enables it.
   * Such a server needs no credential.
   */
  readonly server_env?: string;
  readonly forwards_safety_identifier: boolean;
  readonly quirks: VendorQuirks;
  /** Whose signatures and encrypted reasoning these are; absent: its own (docs/rulings.md 192). */
  readonly issuer?: string;
}

/** Makes a row; every detail that is left out gets its default. */
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

export function ranking(base_url: string, dialect: RankingDialect, credential?: CredentialHeader): VendorEndpoint {
  return { ...endpoint("rerank", base_url, credential), dialect };
}

/** Endpoints for several protocols at one address. */
export function endpoints(
  base_url: string,
  protocols: readonly Protocol[],
  credential?: CredentialHeader,
): VendorEndpoint[] {
  return protocols.map((protocol) => endpoint(protocol, base_url, credential));
}

/** The header that a protocol's own clients send the credential in. */
export function usualCredential(protocol: Protocol): CredentialHeader {
  if (protocol === "messages") return "x-api-key";
  return protocol === "gemini" ? "x-goog-api-key" : "bearer";
}
