import { billedTexts, boundOfCalls, chargedCalls, imageTokens, timesOfInput } from "./billed-texts.ts";
import type { DecisionSource } from "./decision-source.ts";
import type { RunningDecision } from "./running-decision.ts";

/**
 * The billed input tokens of a decision by a source (docs/api.md 8): the input once, every question's instructions, and
 * every description of an option or level. Names, values and labels are free. Where every call is charged, each text is
 * billed as often as it is sent (docs/rulings.md 153).
 */
export async function countDecision(run: RunningDecision, source: DecisionSource): Promise<number> {
  const { decision } = run.request;
  const calls = chargedCalls(source);
  const by_times = new Map<number, string[]>();
  for (const { text, times } of billedTexts(decision, calls)) {
    const texts = by_times.get(times);
    if (texts === undefined) by_times.set(times, [text]);
    else texts.push(text);
  }
  const counts = await Promise.all(
    [...by_times].map(async ([times, texts]) => (await run.deps.estimator.countTexts(texts)) * times),
  );
  const text_tokens = counts.reduce((sum, count) => sum + count, 0);
  const most_tokens = calls === null ? run.plan.bound_tokens : boundOfCalls(decision, calls);
  return Math.min(text_tokens + imageTokens(decision.input) * timesOfInput(calls), most_tokens);
}
