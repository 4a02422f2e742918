import { choiceConfidence, expectedLevel, modeOf, scoreConfidence } from "../core/decision-confidence.ts";
import type {
  ChoiceQuestion,
  DecisionAnswer,
  DecisionRequest,
  PredicateQuestion,
  Question,
  ScoreQuestion,
} from "../core/decision.ts";
import { type Ask, type EngineSettings, Interrogation } from "./interrogation.ts";
import { knockOut } from "./knock-out.ts";
import { MOST_LABELS } from "./labels.ts";
import { listLevels, listOptions, listPredicate } from "./listing.ts";
import { ordersOf } from "./orders.ts";
import { ModelRefusal } from "./read-labels.ts";
import { softmax } from "./softmax.ts";

export type { Ask, EngineSettings } from "./interrogation.ts";

export interface Decided {
  readonly answer: DecisionAnswer;
  /** The smallest label mass of the calls; null where output is constrained to the labels, and where none was answered. */
  readonly label_mass: number | null;
  /** How often the chat model was asked. */
  readonly calls: number;
}

/**
 * Answers one question about the input from a chat model's token probabilities (docs/rulings.md 33, 39). It depends on
 * this question, the input and the settings alone. Throws `upstream_invalid_response` where the model's answers
 * are none, and whatever `ask` rejects with. `ask` is called up to eight times at once.
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

/** The log-score of each answer, bias removed as far as the settings ask for. */
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

/** Yes, then no. Asked both ways each of them has each label and each place once, and what a model adds to those cancels. */
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
  // Three at least, so that no group is a single option.
  const fit = Math.max(3, Math.min(top_logprobs, MOST_LABELS));
  return knockOut(options.length, fit, debias, (groups) =>
    interrogation.scoreGroups(
      groups.map(({ items, orders }) => {
        const members = items.flatMap((item) => options[item] ?? []);
        return orders.map((order) => listOptions(members, order));
      }),
    ),
  );
}

/** A rubric is read upwards and downwards, never shuffled: its order is part of its meaning. */
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
