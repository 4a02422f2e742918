import { PROTOCOLS, type Protocol } from "../../core/endpoints.ts";
import { type Place, report } from "./place.ts";
import { readTextOrList } from "./read-scalar.ts";

export const PROTOCOLS_ALLOWED = `${PROTOCOLS.join(", ")}, or a list of them in order of preference`;

export function findProtocol(word: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol === word);
}

/**
 * Reads one protocol, or a list without repetition. Null for an absent place; null, with a problem reported, for a
 * mistake.
 */
export function readProtocols(place: Place | null): Protocol[] | null {
  const words = readTextOrList(place, PROTOCOLS_ALLOWED);
  if (place === null || words === null) return null;
  const protocols = words.map(findProtocol).filter((protocol) => protocol !== undefined);
  if (protocols.length < words.length) {
    return report(place, PROTOCOLS_ALLOWED, words.map((word) => JSON.stringify(word)).join(", "));
  }
  if (new Set(words).size < words.length) return report(place, "each protocol once", words.join(", "));
  return protocols;
}
