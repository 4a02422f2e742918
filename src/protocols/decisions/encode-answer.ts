import type {
  DecisionAnswer,
  DecisionRequest,
  DecisionResult,
  Question,
  ScoreLevel,
} from "../../core/answer/decision.ts";
import { GatewayError } from "../../core/errors.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { arrayText, numberText, objectText, valueText } from "../shared/json-text.ts";

/** The body of an answer in the shape of docs/api.md 2.7, with the usage details that strict clients read. */
export function encodeAnswer(
  { model, answers, usage }: DecisionResult,
  { questions }: DecisionRequest,
  cost?: string,
): string {
  return objectText([
    ["model", valueText(model)],
    ["answers", arrayText(questions.map((question, index) => answerText(question, answers[index])))],
    ["usage", usageText(usage, cost)],
  ]);
}

function usageText(usage: Usage, cost: string | undefined): string {
  const input_tokens = totalInput(usage);
  return JSON.stringify({
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read_tokens, cache_write_tokens: usage.cache_write_tokens },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens,
    cost,
  });
}

function answerText(question: Question, answer: DecisionAnswer | undefined): string {
  const name = ["name", question.name === null ? "null" : valueText(question.name)] as const;
  if (answer?.type === "refusal") {
    return objectText([["type", '"refusal"'], name, ["reason", valueText(answer.reason)]]);
  }
  if (answer?.type === "predicate" && question.type === "predicate") {
    return objectText([["type", '"predicate"'], name, ["probability", numberText(answer.probability)]]);
  }
  if (answer?.type === "choice" && question.type === "choice") {
    const values = question.options.map(({ value }) => valueText(value));
    return objectText([
      ["type", '"choice"'],
      name,
      ["choice", values[answer.choice] ?? "null"],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", arrayText(values.map((value, index) => optionText(value, answer.probabilities[index])))],
    ]);
  }
  if (answer?.type === "score" && question.type === "score") {
    return objectText([
      ["type", '"score"'],
      name,
      ["score", numberText(answer.score)],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", levelTexts(question.levels, answer.probabilities)],
    ]);
  }
  throw new GatewayError("internal_error", "An answer is not of its question's type.");
}

function optionText(value: string, probability: number | undefined): string {
  return objectText([
    ["value", value],
    ["probability", numberText(probability ?? Number.NaN)],
  ]);
}

function levelTexts(levels: readonly ScoreLevel[], probabilities: readonly number[]): string {
  return arrayText(
    levels.map((level, index) =>
      objectText([
        ["value", String(index)],
        ["label", valueText(labelOf(level, index))],
        ["probability", numberText(probabilities[index] ?? Number.NaN)],
      ]),
    ),
  );
}

/** A level's label is never absent (docs/rulings.md 35). */
function labelOf({ label, description }: ScoreLevel, index: number): string {
  return label ?? description ?? String(index);
}
