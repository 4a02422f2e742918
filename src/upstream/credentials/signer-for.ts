import type { Vendor, VendorEndpoint } from "../../core/catalog/catalog.ts";
import { awsSigner } from "./aws-signer.ts";
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
