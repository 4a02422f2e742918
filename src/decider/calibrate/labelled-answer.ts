import type { DecisionAnswer, QuestionType } from "../../core/decision.ts";
import { softmax } from "../softmax.ts";

/** What the engine answered without a calibration, and what the right answer was. */
export interface LabelledAnswer {
  readonly type: QuestionType;
  /** One for each possible answer; of a predicate those of yes and no. They sum to 1. */
  readonly probabilities: readonly number[];
  /** Which of them is right: an index of `probabilities`. */
  readonly truth: number;
}

/** An engine's answer with its label; null for a refusal, which says nothing of probabilities. */
export function labelledAnswer(answer: DecisionAnswer, truth: number): LabelledAnswer | null {
  if (answer.type === "refusal") return null;
  const probabilities =
    answer.type === "predicate" ? [answer.probability, 1 - answer.probability] : answer.probabilities;
  return { type: answer.type, probabilities, truth };
}

/** Far below anything the engine gives: a probability of 0 has no logarithm. */
const LEAST = 1e-12;

/** The answer as it would be at a temperature: its log-probabilities divided by it, and set in proportion again. */
export function atTemperature(answer: LabelledAnswer, temperature: number): LabelledAnswer {
  return { ...answer, probabilities: softmax(logsOf(answer), temperature) };
}

export function logsOf({ probabilities }: LabelledAnswer): number[] {
  return probabilities.map((probability) => Math.log(Math.max(probability, LEAST)));
}
