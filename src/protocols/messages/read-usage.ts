import { isObject } from "../../core/json.ts";
import { isPlausibleCount, type Usage } from "../../core/usage.ts";

/** The counts of a message's usage as its vendor names them, each as last told. */
export type RawUsage = Readonly<Record<string, unknown>>;

/**
 * What is known after another usage object came. The counts are totals so far: a later one replaces an earlier one, and
 * one that is null or absent leaves it as it was.
 */
export function mergeUsage(earlier: RawUsage | null, later: unknown): RawUsage | null {
  if (!isObject(later)) return earlier;
  const told = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}

/**
 * The usage in disjoint classes, as it is counted in this style already (docs/rulings.md 13). Null when it cannot be
 * believed (docs/rulings.md 44).
 */
export function readUsage(raw: RawUsage): Usage | null {
  const { input_tokens, output_tokens, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = raw;
  const details = isObject(raw.output_tokens_details) ? raw.output_tokens_details : {};
  const { thinking_tokens = 0 } = details;
  if (!isPlausibleCount(input_tokens) || !isPlausibleCount(output_tokens)) return null;
  if (!isPlausibleCount(cache_read_input_tokens) || !isPlausibleCount(cache_creation_input_tokens)) return null;
  return {
    input_tokens,
    cache_read_tokens: cache_read_input_tokens,
    cache_write_tokens: cache_creation_input_tokens,
    output_tokens,
    reasoning_tokens: isPlausibleCount(thinking_tokens) ? Math.min(thinking_tokens, output_tokens) : 0,
  };
}

/** A usage as this style writes it. */
export function writeUsage(usage: Usage) {
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    cache_read_input_tokens: usage.cache_read_tokens,
    output_tokens: usage.output_tokens,
    output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
  };
}
