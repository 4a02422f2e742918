import type { ClientHeaders, ClientRequest } from "../../core/answer/exchange.ts";
import type { BilledEndpoint } from "../../core/endpoints.ts";
import { COMPARED_HEADERS } from "./asked-same.ts";
import type { CachePlace } from "./cached-answer.ts";

/** How many requests are known by their letters, and how long these may be. */
const MOST_KNOWN = 256;
const LONGEST_KNOWN = 8192;

/** A request that asked for a stored answer: the same letters ask for the same, so that they are read and taken apart once. */
export interface KnownAsking {
  readonly request: ClientRequest;
  /** What it was compared by beside its own letters (asked-same.ts), and the place that this led to. */
  readonly model: string;
  readonly shows_cost: boolean;
  readonly place: CachePlace;
}

/** The call of one account, as it came. */
export interface AskingCall {
  readonly endpoint: BilledEndpoint;
  readonly headers: ClientHeaders;
  readonly key: { readonly account_id: string };
  readonly text: string;
}

/** The requests that asked for stored answers lately, each by its account, endpoint, headers and letters. */
export class KnownAskings {
  readonly #known = new Map<string, KnownAsking>();

  /** The name of a call's letters; null for those that are not kept. */
  nameOf({ endpoint, headers, key, text }: AskingCall): string | null {
    if (text.length > LONGEST_KNOWN) return null;
    let name = `${key.account_id}\n${endpoint}\n`;
    for (const header of COMPARED_HEADERS) name += `${headers.get(header) ?? ""}\n`;
    return name + text;
  }

  find(name: string): KnownAsking | null {
    return this.#known.get(name) ?? null;
  }

  keep(name: string, asking: KnownAsking): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(name, asking);
  }
}
