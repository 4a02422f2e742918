import { isObject } from "../../core/json.ts";
import { isPlausibleCount, type Usage } from "../../core/usage.ts";

/**
 * A `usageMetadata` in disjoint classes (docs/rulings.md 13): its prompt holds the cached tokens, what tools of the vendor
 * added comes on top of it, and thoughts stand beside the candidates. Null when it cannot be believed (docs/rulings.md 44).
 */
export function readUsage(metadata: unknown): Usage | null {
  if (!isObject(metadata)) return null;
  const prompt = metadata.promptTokenCount;
  const { cachedContentTokenCount: cached = 0, toolUsePromptTokenCount: tools = 0 } = metadata;
  const { candidatesTokenCount: candidates = 0, thoughtsTokenCount: thoughts = 0 } = metadata;
  if (!isPlausibleCount(prompt) || !isPlausibleCount(cached) || !isPlausibleCount(tools)) return null;
  if (!isPlausibleCount(candidates) || !isPlausibleCount(thoughts) || cached > prompt) return null;
  return {
    input_tokens: prompt - cached + tools,
    cache_read_tokens: cached,
    cache_write_tokens: 0,
    output_tokens: candidates + thoughts,
    reasoning_tokens: thoughts,
  };
}
