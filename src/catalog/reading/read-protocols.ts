import { PROTOCOLS, type Protocol } from "../../core/endpoints.ts";
import { report, type YamlPlace } from "./place.ts";
import { readTextOrList } from "./read-scalar.ts";
import { suggest } from "./suggest.ts";

export const PROTOCOLS_ALLOWED = `${PROTOCOLS.join(", ")}, or a list of them in order of preference`;

export function findProtocol(word: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol === word);
}

/** What people call a protocol by its best known vendor. */
const ALSO: Readonly<Record<string, Protocol>> = {
  ...{ openai: "chat-completions", "openai-compatible": "chat-completions", chat: "chat-completions" },
  ...{ anthropic: "messages", claude: "messages", google: "gemini", vertex: "gemini" },
  ...{ bedrock: "bedrock-converse", converse: "bedrock-converse" },
};

function withHint(word: string): string {
  const meant = findProtocol(word) === undefined ? (ALSO[word.toLowerCase()] ?? suggest(word, PROTOCOLS)) : null;
  return `${JSON.stringify(word)}${meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`}`;
}

/**
 * Reads one protocol, or a list without repetition. Null for an absent place; null, with a problem reported, for a
 * mistake.
 */
export function readProtocols(place: YamlPlace | null): Protocol[] | null {
  const words = readTextOrList(place, PROTOCOLS_ALLOWED);
  if (place === null || words === null) return null;
  const protocols = words.map(findProtocol).filter((protocol) => protocol !== undefined);
  if (protocols.length < words.length) {
    return report(place, PROTOCOLS_ALLOWED, words.map(withHint).join(", "));
  }
  if (new Set(words).size < words.length) return report(place, "each protocol once", words.join(", "));
  return protocols;
}
