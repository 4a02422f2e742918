import { isObject, plainNumber } from "../../core/json.ts";
import { isPlausibleCount, type Usage, withExtra } from "../../core/usage.ts";
import { extraOf, unknownIn } from "../shared/rare-usage.ts";

/**
 * Converse's `usage` in disjoint classes, as the vendor counts already: cache reads and writes stand beside the other
 * input (docs/rulings.md 13), and writes that are kept for an hour are counted apart. Reasoning is not counted apart.
 * Null when the usage cannot be believed (docs/rulings.md 44).
 */
export function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  if (!isPlausibleCount(inputTokens) || !isPlausibleCount(outputTokens)) return null;
  if (!isPlausibleCount(cacheReadInputTokens) || !isPlausibleCount(cacheWriteInputTokens)) return null;
  const counted: Usage = {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadInputTokens,
    cache_write_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: 0,
  };
  const hour = keptForAnHour(usage.cacheDetails);
  const unpriced = unknownIn(usage, KNOWN, true, null);
  if (hour === 0 && unpriced === null) return counted;
  return withExtra(counted, extraOf({ cache_write_1h: hour }, null, unpriced));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  ...["cacheReadInputTokenCount", "cacheWriteInputTokenCount"],
]);

/**
 * The tokens that were written to the cache for an hour. Converse lists writes by their lifetime: `[{ttl: "1h",
 * inputTokens: 10}]`.
 */
function keptForAnHour(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  let tokens = 0;
  for (const each of details) if (isObject(each) && each.ttl === "1h") tokens += plainNumber(each.inputTokens ?? 0);
  return tokens;
}
