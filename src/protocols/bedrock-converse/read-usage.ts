import { isObject } from "../../core/json.ts";
import { isPlausibleCount, type Usage } from "../../core/usage.ts";

/**
 * Converse's `usage` in disjoint classes, as it is counted already: what was read from and written to the cache stands
 * beside the other input (docs/rulings.md 13). Reasoning is not told apart. Null when it cannot be believed
 * (docs/rulings.md 44).
 */
export function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  if (!isPlausibleCount(inputTokens) || !isPlausibleCount(outputTokens)) return null;
  if (!isPlausibleCount(cacheReadInputTokens) || !isPlausibleCount(cacheWriteInputTokens)) return null;
  return {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadInputTokens,
    cache_write_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: 0,
  };
}
