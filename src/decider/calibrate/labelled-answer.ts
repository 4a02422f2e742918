import type { ProbableAnswer, QuestionType } from "../../core/answer/decision.ts";
import { softmax } from "../softmax.ts";

/** An answer of the engine without a calibration, with the right answer. */
export interface LabelledAnswer {
  readonly type: QuestionType;
  /** One probability for each possible answer; for a predicate, those of yes and no. They sum to 1. */
  readonly probabilities: readonly number[];
  /** The index of the right answer in `probabilities`. */
  readonly truth: number;
}

/** An engine's answer with its label; null for a refusal, which has no probabilities. */
export function labelledAnswer(answer: ProbableAnswer, truth: number): LabelledAnswer | null {
  if (answer.type === "refusal") return null;
  const probabilities =
    answer.type === "predicate" ? [answer.probability, 1 - answer.probability] : answer.probabilities;
  return { type: answer.type, probabilities, truth };
}

/** The least probability for logarithms, far below the engine's smallest: 0 has no logarithm. */
const LEAST = 1e-12;

/** The answer at a temperature: its log-probabilities are divided by it, and the probabilities scaled to sum to 1. */
export function atTemperature(answer: LabelledAnswer, temperature: number): LabelledAnswer {
  return { ...answer, probabilities: softmax(logsOf(answer), temperature) };
}

export function logsOf({ probabilities }: LabelledAnswer): number[] {
  return probabilities.map((probability) => Math.log(Math.max(probability, LEAST)));
}
