import { isObject, type JsonRecord } from "../../core/json.ts";
import type { CallCounts } from "../../core/money/price-classes.ts";
import { type Usage, withExtra } from "../../core/money/usage.ts";

/**
 * The vendor's own searches, which its usage does not count: the answer names the queries that it searched for, and the places of a map
 * among its sources (docs/rulings.md 144).
 */
export class Searches {
  #web = 0;
  #maps = 0;

  take({ candidates }: JsonRecord): void {
    if (!Array.isArray(candidates)) return;
    for (const candidate of candidates) {
      const told: unknown = isObject(candidate) ? candidate.groundingMetadata : undefined;
      if (!isObject(told)) continue;
      const { webSearchQueries: queries, groundingChunks: sources } = told;
      if (Array.isArray(queries)) this.#web = Math.max(this.#web, queries.length);
      if (Array.isArray(sources) && sources.some((source) => isObject(source) && isObject(source.maps))) this.#maps = 1;
    }
  }

  addTo(usage: Usage | null): Usage | null {
    if (usage === null || (this.#web === 0 && this.#maps === 0)) return usage;
    const calls: CallCounts = {
      ...usage.extra?.calls,
      ...(this.#web > 0 && { web_search: this.#web }),
      ...(this.#maps > 0 && { maps_search: this.#maps }),
    };
    return withExtra(usage, { ...usage.extra, calls });
  }
}
