import type { StreamAnswer } from "../../core/answer/exchange.ts";
import { totalInput } from "../../core/money/usage.ts";

/**
 * Whether an answer that ended well is none all the same, whole or streamed: nothing of it was delivered, and its vendor
 * counts neither an input nor an output (docs/rulings.md 172). An empty turn that is counted is an answer, as models make
 * such turns. Where the gateway itself cut the answer off, the vendor has not counted yet.
 */
export function isNoAnswer(answer: Pick<StreamAnswer, "has_content" | "usage" | "ended_early">): boolean {
  const { usage } = answer;
  if (usage === null || usage.output_tokens > 0 || totalInput(usage) > 0) return false;
  // The output of a whole answer is read last, because it is searched for in the answer's text.
  return answer.ended_early !== true && !answer.has_content;
}
