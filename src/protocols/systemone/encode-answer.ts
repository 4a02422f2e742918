import type { DecisionAnswer, DecisionRequest, DecisionResult, Question } from "../../core/decision.ts";
import { GatewayError } from "../../core/errors.ts";
import { totalInput } from "../../core/usage.ts";
import { numberText, objectText, valueText } from "../shared/json-text.ts";

/** The body of an answer in the keyed shape of docs/api.md 2.7, with its keys in the order of the request. */
export function encodeAnswer(
  { model, answers, usage }: DecisionResult,
  { questions }: DecisionRequest,
  cost?: string,
): string {
  return objectText([
    ["model", valueText(model)],
    [
      "answers",
      objectText(
        questions.map((question, index) => [question.name ?? String(index), answerText(question, answers[index])]),
      ),
    ],
    ["usage", JSON.stringify({ input_tokens: totalInput(usage), output_tokens: 0, cost })],
  ]);
}

function answerText(question: Question, answer: DecisionAnswer | undefined): string {
  if (answer?.type === "refusal") {
    return objectText([
      ["type", '"refusal"'],
      ["reason", valueText(answer.reason)],
    ]);
  }
  if (answer?.type === "predicate" && question.type === "predicate") {
    return objectText([
      ["type", '"noul"'],
      ["noul", numberText(answer.probability)],
    ]);
  }
  if (answer?.type === "choice" && question.type === "choice") {
    const keys = question.options.map(({ value }) => String(value));
    return objectText([
      ["type", '"choice"'],
      ["choice", valueText(keys[answer.choice] ?? null)],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", keyedProbabilities(keys, answer.probabilities)],
    ]);
  }
  if (answer?.type === "score" && question.type === "score") {
    const indexes = question.levels.map((_, index) => String(index));
    return objectText([
      ["type", '"score"'],
      ["score", numberText(answer.score)],
      ["confidence", numberText(answer.confidence)],
      // A level without a description is named by its index, as `label` is on `/v1/decisions` (docs/rulings.md 35).
      [
        "legend",
        objectText(
          question.levels.map(({ description }, at) => [indexes[at] ?? "", valueText(description ?? String(at))]),
        ),
      ],
      ["probabilities", keyedProbabilities(indexes, answer.probabilities)],
    ]);
  }
  if (answer?.type === "box" && question.type === "box") return answer.keyed_text;
  throw new GatewayError("internal_error", "An answer is not of its question's type.");
}

function keyedProbabilities(keys: readonly string[], probabilities: readonly number[]): string {
  return objectText(keys.map((key, index) => [key, numberText(probabilities[index] ?? Number.NaN)]));
}
