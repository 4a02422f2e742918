import type { Opaque, OpaqueFamily } from "../../core/answer/generation.ts";
import type { Vendor } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { packOpaque } from "./opaque.ts";

/**
 * Who issued a signature or encrypted reasoning: nobody else takes it back (docs/rulings.md 192). A value that is not packed is one
 * of the protocol's maker.
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

/** Whose signatures are valid wherever its models are served. */
const VALID_EVERYWHERE = "anthropic";

/** Between a vendor and the family of a value that it passes on, such as OpenRouter's `openrouter/openai`. No id of a vendor has it. */
const PASSED_ON = "/";

/** Who issues what a chat vendor says in `reasoning_details`. */
export function detailsIssuer({ id, issuer = id }: Pick<Vendor, "id" | "issuer">): string {
  return issuer;
}

/** The name of a family's value that an issuer passes on: it belongs to the issuer, unless it is valid everywhere. */
export function passedOn(issuer: string, family: OpaqueFamily): OpaqueFamily {
  return family === issuer || family === VALID_EVERYWHERE ? family : issuer + PASSED_ON + family;
}

/** The family of a value as its issuer wrote it; null for a value that the issuer did not write. */
export function ownFamily(issuer: string, family: OpaqueFamily): OpaqueFamily | null {
  if (family === issuer || family === VALID_EVERYWHERE) return family;
  return family.startsWith(issuer + PASSED_ON) ? family.slice(issuer.length + PASSED_ON.length) : null;
}

/** Who passed a value on, and its family; the issuer is null for what a family's maker issued itself. */
export function splitFamily(family: OpaqueFamily): { readonly issuer: string | null; readonly family: OpaqueFamily } {
  const at = family.indexOf(PASSED_ON);
  if (at < 0) return { issuer: null, family };
  return { issuer: family.slice(0, at), family: family.slice(at + PASSED_ON.length) };
}

/** A value of an issuer as a string, for clients whose protocol has another maker. */
export function issued(issuer: string, opaque: Omit<Opaque, "family">): string {
  return packOpaque({ ...opaque, family: issuer });
}
