import { isObject } from "../../core/json.ts";
import { isPlausibleCount, type Usage, withExtra } from "../../core/usage.ts";
import { countedCalls, extraOf, unknownIn, unknownTools } from "../shared/rare-usage.ts";

/** The counts of a message's usage under their vendor's names, each with its latest value. */
export type RawUsage = Readonly<Record<string, unknown>>;

/**
 * Merges a later usage object into the counts so far. Counts are totals: a later one replaces an earlier one, and a
 * count that is null or absent stays as it was. Changes `earlier`: a stream may have as many usages as events.
 */
export function mergeUsage(earlier: RawUsage | null, later: unknown): RawUsage | null {
  if (!isObject(later)) return earlier;
  const merged: Record<string, unknown> = earlier ?? {};
  for (const [name, value] of Object.entries(later))
    if (value !== null && value !== undefined && name !== "__proto__") merged[name] = value;
  return merged;
}

/**
 * The usage in disjoint classes; this protocol counts so already (docs/rulings.md 13). Null when the usage cannot be
 * believed (docs/rulings.md 44).
 */
export function readUsage(raw: RawUsage): Usage | null {
  const { input_tokens, output_tokens, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = raw;
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
  return withRareCounts(usage, raw);
}

/**
 * Adds the counts that few answers have: cache writes for an hour, apart from the other writes, and calls of the
 * vendor's own tools.
 */
function withRareCounts(usage: Usage, raw: RawUsage): Usage | null {
  const hour = isObject(raw.cache_creation) ? (raw.cache_creation.ephemeral_1h_input_tokens ?? 0) : 0;
  const tools = isObject(raw.server_tool_use) ? raw.server_tool_use : null;
  const calls = tools === null ? null : countedCalls(tools);
  const unknown = unknownIn(raw, KNOWN, true, null);
  const unpriced = tools === null ? unknown : unknownTools(tools, unknown);
  if (hour === 0 && calls === null && unpriced === null) return usage;
  if (!isPlausibleCount(hour)) return null;
  return withExtra(usage, extraOf({ cache_write_1h: hour }, calls, unpriced));
}

/** The counts of a usage that are read. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  // Style A's names for counts, which some gateways add.
  ...["prompt_tokens", "completion_tokens", "total_tokens"],
]);

/** A usage in this protocol's shape. */
export function writeUsage(usage: Usage) {
  const hour = usage.extra?.parts?.cache_write_1h;
  const searches = usage.extra?.calls?.web_search;
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    cache_read_input_tokens: usage.cache_read_tokens,
    output_tokens: usage.output_tokens,
    output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
    ...(hour !== undefined && {
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cache_write_tokens - hour,
        ephemeral_1h_input_tokens: hour,
      },
    }),
    ...(searches !== undefined && { server_tool_use: { web_search_requests: searches } }),
  };
}
