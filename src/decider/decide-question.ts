import { choiceConfidence, expectedLevel, modeOf, scoreConfidence } from "../core/decision-confidence.ts";
import type {
  ChoiceQuestion,
  DecisionAnswer,
  DecisionRequest,
  PredicateQuestion,
  Question,
  ScoreQuestion,
} from "../core/decision.ts";
import { type Ask, type EngineSettings, fitOf, Interrogation } from "./interrogation.ts";
import { knockOut } from "./knock-out.ts";
import { listLevels, listOptions, listPredicate } from "./listing.ts";
import { ordersOf } from "./orders.ts";
import { ModelRefusal } from "./read-labels.ts";
import { softmax } from "./softmax.ts";

export type { Ask, EngineSettings } from "./interrogation.ts";

export interface Decided {
  readonly answer: DecisionAnswer;
  /** The smallest label mass of the calls; null where output is constrained to the labels, and for a refusal. */
  readonly label_mass: number | null;
  /** How many calls were made to the chat model. */
  readonly calls: number;
}

/**
 * Answers one question about the input from a chat model's token probabilities (docs/rulings.md 33, 39). The result
 * depends on this question, the input and the settings alone. Throws `upstream_invalid_response` for unusable answers
 * of the chat model, and the errors with which `ask` rejects. `ask` is called up to eight times at once.
 */
export async function decideQuestion(
  question: Question,
  input: DecisionRequest["input"],
  settings: EngineSettings,
  ask: Ask,
): Promise<Decided> {
  const interrogation = new Interrogation(question.instructions, input, { settings, ask });
  const answer = await answerOrRefusal(question, settings, interrogation);
  return { answer, label_mass: interrogation.label_mass, calls: interrogation.calls };
}

async function answerOrRefusal(
  question: Question,
  settings: EngineSettings,
  interrogation: Interrogation,
): Promise<DecisionAnswer> {
  try {
    const scores = await scoresOf(question, settings, interrogation);
    return answerFrom(question, softmax(scores, settings.calibration?.temperatures[question.type] ?? 1));
  } catch (thrown) {
    if (thrown instanceof ModelRefusal) return { type: "refusal", reason: thrown.reason };
    throw thrown;
  }
}

/** The log-score of each answer; bias is removed as far as the settings say. */
function scoresOf(question: Question, settings: EngineSettings, interrogation: Interrogation): Promise<number[]> {
  switch (question.type) {
    case "predicate":
      return scorePredicate(question, settings, interrogation);
    case "choice":
      return scoreChoice(question, settings, interrogation);
    case "score":
      return scoreLevels(question, settings, interrogation);
  }
}

/**
 * The log-scores of yes and no. In two orders each answer has each label and each place once, so that bias cancels out.
 */
function scorePredicate(
  question: PredicateQuestion,
  { debias }: EngineSettings,
  interrogation: Interrogation,
): Promise<number[]> {
  const orders = ordersOf(2, debias);
  return interrogation.score(orders.map((order) => listPredicate(question, order, orders.length === 1)));
}

function scoreChoice(
  { options }: ChoiceQuestion,
  { debias, top_logprobs }: EngineSettings,
  interrogation: Interrogation,
): Promise<number[]> {
  return knockOut(options.length, fitOf(top_logprobs), debias, (groups) =>
    interrogation.scoreGroups(
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
  interrogation: Interrogation,
): Promise<number[]> {
  const rising = listLevels(levels, "rising");
  return interrogation.score(debias === "none" ? [rising] : [rising, listLevels(levels, "falling")]);
}

function answerFrom(question: Question, probabilities: readonly number[]): DecisionAnswer {
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
