import type { DecisionPart, DecisionRequest, Question } from "../../core/decision.ts";
import type { PlannedCalls } from "../../decider/count-calls.ts";
import type { DecisionSource } from "./decision-source.ts";

/** The input tokens of an image by its `detail`: vendors scale images down, so their size in bytes says nothing. */
export const IMAGE_TOKENS = { low: 85, other: 765 } as const;

/** A text that is billed, and how often. */
export interface BilledText {
  readonly text: string;
  readonly times: number;
}

/** The calls of each question where every call is charged; null where the request is. */
export function chargedCalls(source: DecisionSource): readonly PlannedCalls[] | null {
  return source.kind === "engine" && source.price.per === "call" ? source.calls : null;
}

/** An upper bound of the tokens of all calls: no text has more tokens than bytes. */
export function boundOfCalls(decision: DecisionRequest, calls: readonly PlannedCalls[]): number {
  const images = imageTokens(decision.input) * timesOfInput(calls);
  return billedTexts(decision, calls).reduce((sum, { text, times }) => sum + Buffer.byteLength(text) * times, images);
}

/** All texts that are billed: once, or as often as the questions' calls send them. */
export function billedTexts(
  { input, questions }: DecisionRequest,
  calls: readonly PlannedCalls[] | null = null,
): BilledText[] {
  const texts: BilledText[] = [];
  const add = (text: string, times: number) => void texts.push({ text, times });
  for (const part of input.flat()) if (part.type !== "image") add(part.text, timesOfInput(calls));
  for (const [index, question] of questions.entries()) {
    add(question.instructions, calls?.[index]?.calls ?? 1);
    for (const description of descriptionsOf(question)) add(description, calls?.[index]?.listings ?? 1);
  }
  return texts;
}

/** How often the input is billed. */
export function timesOfInput(calls: readonly PlannedCalls[] | null): number {
  return calls?.reduce((sum, planned) => sum + planned.calls, 0) ?? 1;
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
