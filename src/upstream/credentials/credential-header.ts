import type { CredentialHeader } from "../../core/catalog/catalog.ts";

/**
 * The header that carries a credential; no header where requests are signed or carry an exchanged token
 * (signer-for.ts).
 */
export function credentialHeader(api_key: string | null, credential: CredentialHeader): Record<string, string> {
  if (api_key === null) return {};
  switch (credential) {
    case "bearer":
      return { authorization: `Bearer ${api_key}` };
    case "x-api-key":
    case "api-key":
    case "x-goog-api-key":
      return { [credential]: api_key };
    case "sigv4":
    case "google-service-account":
    case "none":
      return {};
  }
}
