import { optionProbabilities, yesProbability } from "../judge/score.ts";
import type { AskedDecision, AskedOption, AskedQuestion, BoxEdges, DecisionAnswer } from "./decision.ts";

/**
 * Answers each question by the scorer's true distribution (`judge/score.ts`), independently of the other questions
 * (docs/rulings.md 103).
 */
export function answerQuestions({ state, questions }: AskedDecision): DecisionAnswer[] {
  return questions.map((question) => answer(state, question));
}

function answer(state: string, { name, type, instructions, options }: AskedQuestion): DecisionAnswer {
  if (type === "predicate") {
    const meaning = (value: boolean) => options.find((option) => option.value === value)?.description ?? null;
    const meanings = { when_true: meaning(true), when_false: meaning(false) };
    return { type, name, probability: yesProbability(state, instructions, meanings) };
  }
  if (type === "box") return { type, name, edges: boxOf(yesProbability(state, instructions)) };
  const probabilities = optionProbabilities(state, options.map(optionText));
  const answered = options.map(({ value, label }, index) => ({ value, label, probability: probabilities[index] ?? 0 }));
  const mode = probabilities.indexOf(Math.max(...probabilities));
  if (type === "choice") {
    return { type, name, result: options[mode]?.value, confidence: choiceConfidence(probabilities), options: answered };
  }
  const expected = probabilities.reduce((sum, probability, index) => sum + index * probability, 0);
  return { type, name, result: expected, confidence: scoreConfidence(probabilities, mode), options: answered };
}

/** A box in the middle of the image: the likelier the statement, the larger the box. */
function boxOf(probability: number): BoxEdges {
  const inset = 0.1 + (1 - probability) * 0.3;
  return { top: inset, bottom: 1 - inset, left: inset, right: 1 - inset };
}

/** The text of an option for the scorer: its value or label, and its description. */
function optionText({ value, label, description }: Pick<AskedOption, "value" | "label" | "description">): string {
  const named = typeof value === "number" ? label : String(value);
  return description === null ? named : `${named} ${description}`;
}

function choiceConfidence(probabilities: readonly number[]): number {
  const count = probabilities.length;
  return (count * Math.max(...probabilities) - 1) / (count - 1);
}

function scoreConfidence(probabilities: readonly number[], mode: number): number {
  const middle = (probabilities.length - 1) / 2;
  const mean = probabilities.reduce((sum, _, index) => sum + Math.abs(index - middle), 0) / probabilities.length;
  const spread = probabilities.reduce((sum, probability, index) => sum + probability * Math.abs(index - mode), 0);
  return Math.max(0, 1 - spread / mean);
}
