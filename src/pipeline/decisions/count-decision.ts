import { NO_USAGE, type Usage } from "../../core/money/usage.ts";
import { imageTokens } from "../request/decision-input.ts";
import { type BilledText, billedTexts, boundOfCalls, chargedCalls, timesOfInput } from "./billed-texts.ts";
import type { DecisionSource } from "./decision-source.ts";
import type { RunningDecision } from "./running-decision.ts";

/**
 * The usage of a decision by a source, as the gateway counts it (docs/api.md 8): the input once, every question's instructions, and
 * every description of an option or level. Names, values and labels are free. Where every call is charged, each text is
 * billed as often as it is sent (docs/rulings.md 153, 103a).
 */
export async function countDecision(run: RunningDecision, source: DecisionSource): Promise<Usage> {
  const { decision } = run.request;
  const calls = chargedCalls(source);
  const by_times = new Map<number, BilledText[]>();
  for (const billed of billedTexts(decision, calls)) {
    const texts = by_times.get(billed.times);
    if (texts === undefined) by_times.set(billed.times, [billed]);
    else texts.push(billed);
  }
  const counts = await Promise.all(
    [...by_times].map(async ([times, billed]) => {
      const texts = billed.map(({ text }) => text);
      const more = billed.reduce((sum, { more }) => sum + (more?.characters ?? 0), 0);
      return (await run.deps.estimator.countTexts(texts, more)) * times;
    }),
  );
  const text_tokens = counts.reduce((sum, count) => sum + count, 0);
  const most_tokens = calls === null ? run.plan.bound_tokens : boundOfCalls(decision, calls);
  const input_tokens = Math.min(text_tokens + imageTokens(decision) * timesOfInput(calls), most_tokens);
  return { ...NO_USAGE, input_tokens };
}
