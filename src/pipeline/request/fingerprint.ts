import type { BilledEndpoint } from "../../core/endpoints.ts";

/** A hash of endpoint and body. The endpoint is part of it, as a body means something else on another endpoint. */
export function fingerprintOf(endpoint: BilledEndpoint, text: string): string {
  return new Bun.CryptoHasher("sha256").update(endpoint).update("\n").update(text).digest("hex");
}
