import { isObject, plainNumber, plainText } from "../../core/json.ts";
import { isPlausibleCount, type Usage, withExtra } from "../../core/money/usage.ts";
import { allWrites, extraOf, toldWrites, unknownIn } from "../shared/rare-usage.ts";

/**
 * Converse's `usage` in disjoint classes, as the vendor counts already: cache reads and writes stand beside the other
 * input (docs/rulings.md 13), and writes are counted by their lifetimes too. Reasoning is not counted apart.
 * Null when the usage cannot be believed (docs/rulings.md 44).
 */
export function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens: written = 0 } = usage;
  const writes = toldWrites(byLifetime(usage.cacheDetails), written, "cacheWriteInputTokens");
  const cacheWriteInputTokens = allWrites(written, writes);
  if (!isPlausibleCount(inputTokens) || !isPlausibleCount(outputTokens)) return null;
  if (!isPlausibleCount(cacheReadInputTokens) || !isPlausibleCount(cacheWriteInputTokens)) return null;
  const counted: Usage = {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadInputTokens,
    cache_write_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: 0,
  };
  const unpriced = unknownIn(usage, KNOWN, true, writes?.names ?? null);
  if (writes === null && unpriced === null) return counted;
  return withExtra(counted, extraOf(writes?.parts, null, unpriced));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  ...["cacheReadInputTokenCount", "cacheWriteInputTokenCount", "cacheDetails"],
]);

/** Cache writes by names with their lifetimes. Converse has a list of them: `[{ttl: "1h", inputTokens: 10}]`. */
function byLifetime(details: unknown): Record<string, unknown> | null {
  if (!Array.isArray(details)) return null;
  const counts: Record<string, unknown> = {};
  for (const each of details) {
    if (!isObject(each)) continue;
    const name = `cacheDetails_${plainText(each.ttl)}_inputTokens`;
    counts[name] = plainNumber(counts[name] ?? 0) + plainNumber(each.inputTokens ?? 0);
  }
  return counts;
}
