import type { DecisionPart, DecisionRequest, Question } from "../../core/decision.ts";
import type { RunningDecision } from "./running-decision.ts";

/** The input tokens of an image by its `detail`: vendors scale images down, so their size in bytes says nothing. */
export const IMAGE_TOKENS = { low: 85, other: 765 } as const;

/**
 * The billed input tokens of a decision (docs/api.md 8): the input once, every question's instructions, and every
 * description of an option or level. Names, values and labels are free.
 */
export async function countDecision(run: RunningDecision): Promise<number> {
  const { decision } = run.request;
  const text_tokens = await run.deps.estimator.countTexts(billedTexts(decision));
  return Math.min(text_tokens + imageTokens(decision.input), run.plan.bound_tokens);
}

/** All texts that are billed, each once. */
export function billedTexts({ input, questions }: DecisionRequest): string[] {
  const texts: string[] = [];
  for (const part of input.flat()) if (part.type !== "image") texts.push(part.text);
  for (const question of questions) texts.push(question.instructions, ...descriptionsOf(question));
  return texts;
}

export function imageTokens(input: DecisionRequest["input"]): number {
  return input.flat().reduce((sum, part) => sum + tokensOfImage(part), 0);
}

function tokensOfImage(part: DecisionPart): number {
  if (part.type !== "image") return 0;
  return part.detail === "low" ? IMAGE_TOKENS.low : IMAGE_TOKENS.other;
}

function descriptionsOf(question: Question): string[] {
  switch (question.type) {
    case "predicate":
      return present([question.when_true, question.when_false]);
    case "choice":
      return present(question.options.map(({ description }) => description));
    case "score":
      return present(question.levels.map(({ description }) => description));
  }
}

function present(texts: readonly (string | null)[]): string[] {
  return texts.filter((text) => text !== null);
}
