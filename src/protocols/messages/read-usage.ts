import { isObject } from "../../core/json.ts";
import { isPlausibleCount, laterUsage, sameCounts, type Usage, withExtra, withServed } from "../../core/money/usage.ts";
import {
  allWrites,
  countedCalls,
  extraOf,
  type ToldWrites,
  toldWrites,
  unknownIn,
  unknownTools,
} from "../shared/rare-usage.ts";

/** The counts of a message's usage under their vendor's names, each with its latest value. */
export type RawUsage = Readonly<Record<string, unknown>>;

/**
 * The usage of a message that its vendor tells in pieces, at the start and at the end. Counts are totals: a later one replaces an
 * earlier one, but a zero erases none (`laterUsage`).
 */
export class ToldUsage {
  #raw: RawUsage | null = null;
  #usage: Usage | null = null;
  /** Before the end of the answer the output count is a placeholder. */
  #is_final = false;
  #is_erased = false;

  take(told: unknown, at: "start" | "end"): void {
    if (!isObject(told)) return;
    this.#raw = mergeUsage(this.#raw, told);
    if (this.#raw === null) return;
    if (at === "end") this.#is_final = true;
    const latest = readUsage(this.#is_final ? this.#raw : { output_tokens: 0, ...this.#raw });
    const merged = latest === null ? null : laterUsage(this.#usage, latest);
    this.#is_erased = latest !== null && merged !== null && !sameCounts(latest, merged);
    this.#usage = merged;
  }

  /** The counts so far; of a complete answer those of its end alone. Null for none, or none that can be believed. */
  usage(complete: boolean): Usage | null {
    return complete && !this.#is_final ? null : this.#usage;
  }

  /** What the vendor told at the end, where it cannot be believed. */
  get rejected(): unknown {
    return this.#is_final && this.#usage === null ? this.#raw : null;
  }

  /** Whether the last counts are lower than earlier ones, so that clients must be shown the earlier ones. */
  get isErased(): boolean {
    return this.#is_erased;
  }
}

/** The most members that are kept; a usage has about ten. All are read after each event that has a usage, which may be every event of a stream. */
const MOST_MEMBERS = 256;

/**
 * Merges a later usage object into the counts so far: a count that is null or absent stays as it was, and members beyond the
 * most that are kept are passed over. Changes `earlier`.
 */
export function mergeUsage(earlier: RawUsage | null, later: unknown): RawUsage | null {
  if (!isObject(later)) return earlier;
  const merged: Record<string, unknown> = earlier ?? {};
  let room = MOST_MEMBERS - Object.keys(merged).length;
  for (const [name, value] of Object.entries(later)) {
    if (value === null || value === undefined || name === "__proto__") continue;
    const is_new = !Object.hasOwn(merged, name);
    if (is_new && room === 0) continue;
    merged[name] = value;
    if (is_new) room -= 1;
  }
  return merged;
}

/**
 * The usage in disjoint classes; this protocol counts so already (docs/rulings.md 13). Null when the usage cannot be
 * believed (docs/rulings.md 44).
 */
export function readUsage(raw: RawUsage): Usage | null {
  const { input_tokens, output_tokens, cache_read_input_tokens = 0 } = raw;
  const { cache_creation_input_tokens: written = 0 } = raw;
  const writes = toldWrites(raw.cache_creation, written, "cache_creation_input_tokens");
  const cache_creation_input_tokens = allWrites(written, writes);
  const details = isObject(raw.output_tokens_details) ? raw.output_tokens_details : {};
  const { thinking_tokens = 0 } = details;
  if (!isPlausibleCount(input_tokens) || !isPlausibleCount(output_tokens)) return null;
  if (!isPlausibleCount(cache_read_input_tokens) || !isPlausibleCount(cache_creation_input_tokens)) return null;
  const usage: Usage = {
    input_tokens,
    cache_read_tokens: cache_read_input_tokens,
    cache_write_tokens: cache_creation_input_tokens,
    output_tokens,
    reasoning_tokens: isPlausibleCount(thinking_tokens) ? Math.min(thinking_tokens, output_tokens) : 0,
  };
  return withRareCounts(withServed(usage, raw.service_tier, raw.speed), raw, writes);
}

/**
 * Adds the counts that few answers have: cache writes of other lifetimes than the usual one, and calls of the vendor's own
 * tools.
 */
function withRareCounts(usage: Usage, raw: RawUsage, writes: ToldWrites | null): Usage | null {
  const tools = isObject(raw.server_tool_use) ? raw.server_tool_use : null;
  const calls = tools === null ? null : countedCalls(tools);
  const unknown = unknownIn(raw, KNOWN, true, writes?.names ?? null);
  const unpriced = tools === null ? unknown : unknownTools(tools, unknown);
  if (writes === null && calls === null && unpriced === null) return usage;
  return withExtra(usage, extraOf(writes?.parts, calls, unpriced));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  ...["cache_creation", "output_tokens_details", "server_tool_use"],
  // Style A's names for counts, which some gateways add.
  ...["prompt_tokens", "completion_tokens", "total_tokens"],
]);

/** A usage in this protocol's shape. */
export function writeUsage(usage: Usage) {
  const { cache_write_1h: hour, cache_write_12h: half_day } = usage.extra?.parts ?? {};
  const searches = usage.extra?.calls?.web_search;
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    cache_read_input_tokens: usage.cache_read_tokens,
    output_tokens: usage.output_tokens,
    output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
    ...((hour !== undefined || half_day !== undefined) && {
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cache_write_tokens - (hour ?? 0) - (half_day ?? 0),
        ephemeral_1h_input_tokens: hour ?? 0,
        ...(half_day !== undefined && { ephemeral_12h_input_tokens: half_day }),
      },
    }),
    ...(searches !== undefined && { server_tool_use: { web_search_requests: searches } }),
  };
}
