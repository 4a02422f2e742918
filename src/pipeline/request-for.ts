import type { Vendor, VendorEndpoint } from "../core/catalog.ts";
import type { Exchange } from "../core/exchange.ts";
import { credentialHeader } from "../upstream/credentials/credential-header.ts";
import { signerFor } from "../upstream/credentials/signer-for.ts";
import type { UpstreamRequest } from "../upstream/send.ts";
import type { PricedCandidate } from "./plan.ts";

/** The call that an exchange makes of an endpoint. */
export function requestFor(
  candidate: Pick<PricedCandidate, "vendor" | "endpoint">,
  exchange: Pick<Exchange, "path" | "headers" | "body">,
): UpstreamRequest {
  const { vendor, endpoint } = candidate;
  const sign = signerFor(vendor, endpoint);
  return {
    url: endpoint.base_url + exchange.path,
    headers: withHeaders(baseHeaders(vendor, endpoint), exchange.headers),
    body: exchange.body,
    timeouts: vendor.timeouts,
    ...(sign !== null && { sign }),
  };
}

/** The very same object where there is nothing to add: the transport writes a known one only once. */
function withHeaders(base: Record<string, string>, more: Readonly<Record<string, string>>): Record<string, string> {
  for (const _ in more) return { ...base, ...more };
  return base;
}

const headers_by_endpoint = new WeakMap<VendorEndpoint, Record<string, string>>();

/** The headers that every request to a vendor's endpoint has. Nothing of the client's own headers is among them. */
function baseHeaders(vendor: Vendor, endpoint: VendorEndpoint): Record<string, string> {
  const known = headers_by_endpoint.get(endpoint);
  if (known !== undefined) return known;
  const headers = {
    "content-type": "application/json",
    // Compressed events could only be passed on after unpacking, and small events do not compress.
    "accept-encoding": "identity",
    "user-agent": "camino",
    ...credentialHeader(vendor.api_key, endpoint.credential),
    ...vendor.headers,
  };
  headers_by_endpoint.set(endpoint, headers);
  return headers;
}
