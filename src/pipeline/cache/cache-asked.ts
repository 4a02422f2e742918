import { parseCacheTime } from "../../core/answer/cache-time.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { CachePlace } from "./cached-answer.ts";
import type { KnownAsking } from "./known-askings.ts";

/** What a request asks of the cache of answers (docs/rulings.md 183). */

export const CACHE_HEADER = "x-camino-cache";

/** What became of it: the value of the header on the answer. `bypass`: the request is of a kind that is not cached. */
export type CacheResult = "hit" | "miss" | "refresh" | "bypass";

const ALLOWED = "a time such as 90s, 10m, 12h or 7d, on, refresh, off";

/** The part of a call that concerns the cache, from its header to what was stored. */
export class CacheAsked {
  /** Asks anew whatever is stored. */
  readonly refreshes: boolean;
  /** The time that the header says; null where the key's own stands for it. */
  readonly said_ms: number | null;
  result: CacheResult = "bypass";
  /** The name of the call's letters, where they are known or may be; null where they are not kept. */
  name: string | null = null;
  /** What is known of the same letters. */
  known: KnownAsking | null = null;
  /** Where the answer is to be stored, and for how long; null where it is not. */
  place: (CachePlace & { readonly keep_ms: number }) | null = null;
  /** The head of the answer, as it was written last. */
  head: { readonly content_type: string; readonly headers: Readonly<Record<string, string>> } | null = null;

  constructor({ refreshes, said_ms }: Pick<CacheAsked, "refreshes" | "said_ms">) {
    this.refreshes = refreshes;
    this.said_ms = said_ms;
  }
}

/** Reads the header; null for `off`. Throws a 400 with `code` for what is none of the allowed values. */
export function readCacheHeader(text: string, code: ErrorCode): CacheAsked | null {
  const said = text.trim().toLowerCase();
  if (said === "off") return null;
  if (said === "on" || said === "refresh") return new CacheAsked({ refreshes: said === "refresh", said_ms: null });
  const said_ms = timeOf(said);
  if (said_ms !== null) return new CacheAsked({ refreshes: false, said_ms });
  const shown = JSON.stringify(text.slice(0, 60));
  throw new GatewayError(code, `The header ${CACHE_HEADER} is ${shown}; allowed: ${ALLOWED}.`);
}

/** The times that were said lately: clients say the same one with every call. */
const times = new Map<string, number>();
const MOST_TIMES = 100;

function timeOf(said: string): number | null {
  const known = times.get(said);
  if (known !== undefined) return known;
  const time_ms = parseCacheTime(said);
  if (time_ms === null) return null;
  if (times.size >= MOST_TIMES) times.clear();
  times.set(said, time_ms);
  return time_ms;
}
