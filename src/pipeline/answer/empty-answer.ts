import type { StreamAnswer } from "../../core/exchange.ts";
import { totalInput } from "../../core/usage.ts";

/**
 * Whether an answer that ended well is none all the same, whole or streamed: nothing of it was delivered, and its vendor
 * counts neither an input nor an output (docs/rulings.md 172). An empty turn that is counted is an answer, as models make
 * such turns. Where the gateway itself cut the answer off, the vendor has not counted yet.
 */
export function isNoAnswer({
  has_content,
  usage,
  ended_early,
}: Pick<StreamAnswer, "has_content" | "usage" | "ended_early">): boolean {
  if (has_content || usage === null || ended_early === true) return false;
  return totalInput(usage) === 0 && usage.output_tokens === 0;
}
