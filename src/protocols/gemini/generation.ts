import type { Model } from "../../core/catalog.ts";

/**
 * Whether a model is of the generation of Gemini 3: such models think by levels, insist on the signatures of their tool
 * calls, take images in tool results, and give structured output beside tools. Those before them think by a budget in
 * tokens, or not at all, which is how the catalogue tells them apart.
 */
export function thinksByLevels({ capabilities }: Model): boolean {
  if (!capabilities.thinking) return false;
  const { effort = [], budget_tokens } = capabilities.reasoning ?? {};
  return effort.length > 0 || budget_tokens === undefined;
}
