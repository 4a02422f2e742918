import type { Opaque } from "../../core/answer/generation.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { packOpaque } from "./opaque.ts";

/**
 * Who issued a signature or encrypted reasoning: nobody else takes it back (docs/rulings.md 192). A value that nobody packed is that
 * of the protocol's maker, as it has always been.
 */
const MAKERS: Readonly<Partial<Record<Protocol, string>>> = {
  messages: "anthropic",
  responses: "openai",
  gemini: "google",
};

/** Who issues a vendor's opaque values, where that is not the maker of the protocol that it speaks; null where it is. */
export function ownIssuer({ id, issuer = id }: Pick<Vendor, "id" | "issuer">, protocol: Protocol): string | null {
  const maker = MAKERS[protocol];
  return maker === undefined || maker === issuer ? null : issuer;
}

/** The name by which the protocol's own code knows what its vendor issues. */
export function makerOf(protocol: Protocol): string | undefined {
  return MAKERS[protocol];
}

/** A value of an issuer as a string, for clients whose protocol has another maker. */
export function issued(issuer: string, opaque: Omit<Opaque, "family">): string {
  return packOpaque({ ...opaque, family: issuer });
}
