import type { ClientHeaders } from "../../core/answer/exchange.ts";
import type { Protocol } from "../../core/endpoints.ts";

/**
 * The headers by which clients ask a protocol's vendors for features that are not everybody's yet (docs/rulings.md 2, 175).
 * They go to the vendors of that protocol as the client sent them, whatever endpoint it has used, and to no others.
 */
const BETA_HEADERS = {
  messages: ["anthropic-beta"],
  systemone: ["typesafe-danger-zone-images"],
} as const satisfies Partial<Record<Protocol, readonly string[]>>;

/** All of them: the thread that writes a large request gets these. */
export const ALL_BETA_HEADERS: readonly string[] = Object.values(BETA_HEADERS).flat();

/** The headers of a client's request that go to vendors of a protocol. */
export function betaHeaders(protocol: keyof typeof BETA_HEADERS, headers: ClientHeaders): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of BETA_HEADERS[protocol]) {
    const value = headers.get(name);
    if (value !== null) sent[name] = value;
  }
  return sent;
}
