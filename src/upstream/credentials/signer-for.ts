import { AwsV4Signer } from "aws4fetch";
import type { AwsCredentials, Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { credentialError } from "./credential-error.ts";
import { GoogleTokens } from "./google-tokens.ts";
import type { RequestSigner } from "./request-signer.ts";

const signers = new WeakMap<VendorEndpoint, RequestSigner | null>();

/**
 * The signer of an endpoint whose credential is made for each request; null where a constant header suffices. A signer
 * lives as long as the configuration, and caches tokens and derived keys.
 */
export function signerFor(vendor: Vendor, endpoint: VendorEndpoint): RequestSigner | null {
  const known = signers.get(endpoint);
  if (known !== undefined) return known;
  const signer = makeSigner(vendor, endpoint);
  signers.set(endpoint, signer);
  return signer;
}

function makeSigner(vendor: Vendor, { credential }: VendorEndpoint): RequestSigner | null {
  switch (credential) {
    case "sigv4":
      return vendor.aws === undefined ? missing(`vendor ${vendor.id} has no AWS credentials`) : awsSigner(vendor.aws);
    case "google-service-account":
      return vendor.api_key === null
        ? missing(`vendor ${vendor.id} has no Google service account`)
        : bearerOf(new GoogleTokens(vendor.api_key));
    case "bearer":
    case "x-api-key":
    case "api-key":
    case "x-goog-api-key":
    case "none":
      return null;
  }
}

function bearerOf(tokens: GoogleTokens): RequestSigner {
  return async () => ({ authorization: `Bearer ${await tokens.current()}` });
}

function missing(what: string): RequestSigner {
  return () => Promise.reject(credentialError(what));
}

/** Signs requests to Amazon Bedrock with Signature Version 4. */
export function awsSigner(credentials: AwsCredentials, clock: Clock = systemClock): RequestSigner {
  // Signing keys are derived for a day: the library caches them here.
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, url, body }) => {
    const signer = new AwsV4Signer({
      method,
      url,
      body,
      accessKeyId: credentials.access_key_id,
      secretAccessKey: credentials.secret_access_key,
      ...(credentials.session_token === null ? {} : { sessionToken: credentials.session_token }),
      service: serviceOf(url),
      region: credentials.region,
      datetime: amzDate(clock.now_ms()),
      cache,
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(headers);
  };
}

/** The name that the signature needs: `bedrock-mantle` for `bedrock-mantle.REGION.api.aws`, else `bedrock`. */
function serviceOf(url: string): string {
  return URL.parse(url)?.hostname.startsWith("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";
}

/** A time as `20260131T235959Z`. */
function amzDate(now_ms: number): string {
  return new Date(now_ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
}
