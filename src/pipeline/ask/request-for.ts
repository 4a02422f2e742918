import type { Exchange, VendorFailure } from "../../core/answer/exchange.ts";
import type { Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { credentialHeader } from "../../upstream/credentials/credential-header.ts";
import { signerFor } from "../../upstream/credentials/signer-for.ts";
import type { UpstreamRequest } from "../../upstream/send.ts";
import { BytePieces } from "../../wire/client/outgoing-request.ts";
import type { PricedCandidate } from "../plan/prospects.ts";

/** The parts of an exchange that an attempt needs: the call, and how to read a refusal. */
export interface VendorExchange extends Pick<Exchange, "path" | "headers"> {
  readonly parts?: readonly string[] | undefined;
  readonly pieces?: readonly Uint8Array[] | undefined;
  readonly body: string | Uint8Array;
  /** A promise where the exchange is in another thread. */
  readError(status: number, body: string): VendorFailure | Promise<VendorFailure>;
}

/** The request that an exchange sends to an endpoint. `more`: headers beside those of the vendor and the exchange. */
export function requestFor(
  candidate: Pick<PricedCandidate, "vendor" | "endpoint">,
  exchange: Pick<VendorExchange, "path" | "headers" | "body" | "parts" | "pieces">,
  more: Readonly<Record<string, string>> | null = null,
): UpstreamRequest {
  const { vendor, endpoint } = candidate;
  const { timeouts } = vendor;
  const body = exchange.pieces === undefined ? (exchange.parts ?? exchange.body) : new BytePieces(exchange.pieces);
  const { url, headers: own } = baseOf(vendor, endpoint, exchange.path);
  const asked = withHeaders(own, exchange.headers);
  const headers = more === null ? asked : { ...asked, ...more };
  const sign = signerFor(vendor, endpoint);
  return sign === null ? { url, headers, body, timeouts } : { url, headers, body, timeouts, sign };
}

/** Returns `own` itself where there is nothing to add: the transport caches the written form of each headers object. */
function withHeaders(own: Record<string, string>, more: Readonly<Record<string, string>>): Record<string, string> {
  for (const _ in more) return { ...own, ...more };
  return own;
}

/** The parts that all requests to a vendor's endpoint share: nearly all of them have one path. */
interface RequestBase {
  readonly path: string;
  readonly url: string;
  /** No header of the client is among them. */
  readonly headers: Record<string, string>;
}

const bases = new WeakMap<VendorEndpoint, RequestBase>();

function baseOf(vendor: Vendor, endpoint: VendorEndpoint, path: string): RequestBase {
  const known = bases.get(endpoint);
  if (known?.path === path) return known;
  const base = { path, url: endpoint.base_url + path, headers: known?.headers ?? headersFor(vendor, endpoint) };
  bases.set(endpoint, base);
  return base;
}

function headersFor(vendor: Vendor, endpoint: VendorEndpoint): Record<string, string> {
  return {
    "content-type": "application/json",
    // Compressed events would have to be unpacked before they are passed on, and small events do not compress.
    "accept-encoding": "identity",
    "user-agent": "camino",
    ...credentialHeader(vendor.api_key, endpoint.credential),
    ...vendor.headers,
  };
}
