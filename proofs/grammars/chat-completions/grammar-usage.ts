import { isCount, isFields } from "../grammar-values.ts";

/**
 * Checks a usage (docs/api.md 2.4); null for a valid one. Its counts must be present, consistent, and sum to the total.
 */
export function checkUsage(usage: unknown): string | null {
  if (!isFields(usage)) return "the chunk without choices has no usage";
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const input = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details.cached_tokens : null;
  const output = isFields(usage.completion_tokens_details) ? usage.completion_tokens_details.reasoning_tokens : null;
  if (!isCount(prompt_tokens) || !isCount(completion_tokens) || !isCount(total_tokens))
    return "the usage lacks a count of tokens";
  if (!isCount(input)) return "the usage lacks 'prompt_tokens_details.cached_tokens'";
  if (!isCount(output)) return "the usage lacks 'completion_tokens_details.reasoning_tokens'";
  if (input > prompt_tokens || output > completion_tokens) return "the usage has more in a detail than in all";
  return total_tokens === prompt_tokens + completion_tokens ? null : "the usage's total is not its sum";
}
