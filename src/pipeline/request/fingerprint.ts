import type { FormPart } from "../../core/answer/form-part.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";

/** A hash of endpoint and body. The endpoint is part of it, as a body means something else on another endpoint. */
export function fingerprintOf(endpoint: BilledEndpoint, text: string): string {
  return new Bun.CryptoHasher("sha256").update(endpoint).update("\n").update(text).digest("hex");
}

/** The same of a form: of its parts in their order, whatever stood between them. A file's name and type are its client's to choose anew. */
export function formFingerprint(endpoint: BilledEndpoint, parts: readonly FormPart[]): string {
  const hasher = new Bun.CryptoHasher("sha256").update(endpoint);
  for (const { name, data } of parts) hasher.update(`\n${name.length} ${name} ${data.byteLength} `).update(data);
  return hasher.digest("hex");
}
