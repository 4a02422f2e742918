import type {
  ChoiceQuestion,
  PredicateQuestion,
  ProbableAnswer,
  ProbableQuestion,
  ScoreQuestion,
} from "../core/answer/decision.ts";
import { choiceConfidence, expectedLevel, modeOf, scoreConfidence } from "../core/answer/decision-confidence.ts";
import { listLevels, listOptions, listPredicate } from "./listing.ts";
import { ordersOf } from "./orders.ts";
import { type CallModel, type EngineSettings, optionsPerCall, QuestionCalls } from "./question-calls.ts";
import { ModelRefusal } from "./read-labels.ts";
import { softmax } from "./softmax.ts";
import { callsOfTournament, scoreByTournament } from "./tournament.ts";
import type { Material } from "./write-material.ts";

export interface QuestionResult {
  readonly answer: ProbableAnswer;
  /** The smallest label mass of the calls; null where output is constrained to the labels, and for a refusal. */
  readonly label_mass: number | null;
  /** How many calls were made to the chat model. */
  readonly calls: number;
}

/**
 * Answers one question about an input (`writeMaterial`) from a chat model's token probabilities (docs/rulings.md 33, 39). The result
 * depends on this question, the input and the settings alone. Throws `upstream_invalid_response` for unusable answers
 * of the chat model, and the errors with which `ask` rejects. `ask` is called up to eight times at once.
 */
export async function decideQuestion(
  question: ProbableQuestion,
  material: Material,
  settings: EngineSettings,
  ask: CallModel,
): Promise<QuestionResult> {
  const question_calls = new QuestionCalls(question.instructions, material, { settings, ask });
  let answer: ProbableAnswer;
  try {
    const scores = await scoresOf(question, settings, question_calls);
    answer = answerFrom(question, softmax(scores, settings.calibration?.temperatures[question.type] ?? 1));
  } catch (thrown) {
    if (!(thrown instanceof ModelRefusal)) throw thrown;
    answer = { type: "refusal", reason: thrown.reason };
  }
  return { answer, label_mass: question_calls.label_mass, calls: question_calls.calls };
}

/** The log-score of each answer; bias is removed as far as the settings say. */
function scoresOf(
  question: ProbableQuestion,
  settings: EngineSettings,
  question_calls: QuestionCalls,
): Promise<number[]> {
  switch (question.type) {
    case "predicate":
      return scorePredicate(question, settings, question_calls);
    case "choice":
      return scoreChoice(question, settings, question_calls);
    case "score":
      return scoreLevels(question, settings, question_calls);
  }
}

/**
 * The log-scores of yes and no. In two orders each answer has each label and each place once, so that bias cancels out.
 */
function scorePredicate(
  question: PredicateQuestion,
  { debias }: EngineSettings,
  question_calls: QuestionCalls,
): Promise<number[]> {
  const orders = ordersOf(2, debias);
  return question_calls.score(orders.map((order) => listPredicate(question, order, orders.length === 1)));
}

function scoreChoice(
  { options }: ChoiceQuestion,
  { debias, top_logprobs }: EngineSettings,
  question_calls: QuestionCalls,
): Promise<number[]> {
  return scoreByTournament(options.length, optionsPerCall(top_logprobs), debias, (groups) =>
    question_calls.scoreGroups(
      groups.map(({ items, orders }) => {
        const members = items.flatMap((item) => options[item] ?? []);
        return orders.map((order) => listOptions(members, order));
      }),
    ),
  );
}

/** A rubric is listed upwards and downwards, never shuffled, as its order is part of its meaning. */
function scoreLevels(
  { levels }: ScoreQuestion,
  { debias }: EngineSettings,
  question_calls: QuestionCalls,
): Promise<number[]> {
  const rising = listLevels(levels, "rising");
  return question_calls.score(debias === "none" ? [rising] : [rising, listLevels(levels, "falling")]);
}

function answerFrom(question: ProbableQuestion, probabilities: readonly number[]): ProbableAnswer {
  switch (question.type) {
    case "predicate":
      return { type: "predicate", probability: probabilities[0] ?? 0 };
    case "choice": {
      const confidence = choiceConfidence(probabilities);
      return { type: "choice", choice: modeOf(probabilities), confidence, probabilities };
    }
    case "score": {
      const confidence = scoreConfidence(probabilities);
      return { type: "score", score: expectedLevel(probabilities), confidence, probabilities };
    }
  }
}

/** The calls that the engine makes for a question, known before anything is sent. */
export interface PlannedCalls {
  /** How many calls the question needs. A retry of a call, and the call for a refusal's reason, are not among them. */
  readonly calls: number;
  /** How often each option is listed at least, before winners of groups meet in a final. */
  readonly listings: number;
}

/** The calls that `decideQuestion` makes for a question with these settings (docs/rulings.md 153). */
export function callsFor(
  question: ProbableQuestion,
  settings: Pick<EngineSettings, "debias" | "top_logprobs">,
): PlannedCalls {
  const { debias, top_logprobs } = settings;
  if (question.type === "choice")
    return callsOfTournament(question.options.length, optionsPerCall(top_logprobs), debias);
  const calls = debias === "none" ? 1 : 2;
  return { calls, listings: calls };
}
