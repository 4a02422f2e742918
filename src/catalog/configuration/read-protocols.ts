import { PROTOCOLS, type Protocol } from "../../core/endpoints.ts";
import { type Place, report } from "./place.ts";
import { readTextOrList } from "./read-scalar.ts";

export const PROTOCOLS_ALLOWED = `${PROTOCOLS.join(", ")}, or a list of them in order of preference`;

export function findProtocol(word: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol === word);
}

/** One protocol, or a list of them without repetition. Null for an absent place, and with a problem for a wrong one. */
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
