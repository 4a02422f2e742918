import { type Performance, reportUsage } from "../../performance.ts";

/** Usage as Converse counts it: the input classes are disjoint. */
export function wireUsage({ usage, usage_reporting }: Performance): unknown {
  const { input, cache_read, cache_write, output } = usage;
  const cached =
    cache_read > 0 || cache_write > 0 ? { cacheReadInputTokens: cache_read, cacheWriteInputTokens: cache_write } : {};
  const counts = {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + cache_read + cache_write + output,
    ...cached,
  };
  return reportUsage(counts, usage_reporting);
}
