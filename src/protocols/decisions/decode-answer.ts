import type {
  ChoiceAnswer,
  ChoiceQuestion,
  DecisionAnswer,
  DecisionRequest,
  Question,
  ScoreAnswer,
  ScoreQuestion,
  VendorDecision,
} from "../../core/decision.ts";
import type { WholeBody } from "../../core/exchange.ts";
import {
  answerMembers,
  checkAnswerType,
  choiceAnswer,
  type Distribution,
  isRefusal,
  openAnswer,
  readDistribution,
  readProbability,
  readRefusal,
  scoreAnswer,
  unusableAnswerError,
} from "../shared/decision-answer.ts";
import { readDecisionUsage } from "../shared/decision-usage.ts";
import { foreignError } from "../shared/foreign-questions.ts";
import { itemsOf, type JsonPlace, memberOf } from "../shared/json-place.ts";

type Members = ReadonlyMap<string, JsonPlace>;

/**
 * Reads an answer in the shape of `/v1/decisions`. Throws `upstream_invalid_response` unless every question is answered
 * completely and with probabilities of its options (docs/rulings.md 32, 38).
 */
export function decodeAnswer(body: WholeBody, { questions }: DecisionRequest): VendorDecision {
  const { place, members } = openAnswer(body);
  const answers = readArray(memberOf(place, members, "answers"), questions.length, "answers, one for each question");
  return {
    answers: questions.map((question, index) => readAnswer(answers[index] as JsonPlace, question)),
    ...readDecisionUsage(members.get("usage")?.value),
  };
}

function readArray(place: JsonPlace, length: number, what: string): readonly JsonPlace[] {
  if (!Array.isArray(place.value) || place.value.length !== length)
    throw unusableAnswerError(place, `an array of ${length} ${what}`);
  return itemsOf(place);
}

function readAnswer(place: JsonPlace, question: Question): DecisionAnswer {
  const members = answerMembers(place);
  checkName(place, members, question.name);
  if (isRefusal(members)) return readRefusal(members);
  checkAnswerType(place, members, question.type);
  switch (question.type) {
    case "predicate":
      return { type: "predicate", probability: readProbability(memberOf(place, members, "probability")) };
    case "choice":
      return readChoice(place, members, question);
    case "score":
      return readScore(place, members, question);
    case "box":
      throw foreignError(question.only);
  }
}

/**
 * Answers must stand in the order of the questions: throws for an answer that names another question than the one at
 * its place.
 */
function checkName(place: JsonPlace, members: Members, name: string | null): void {
  const said = memberOf(place, members, "name");
  if (said.value === undefined || said.value === null || said.value === name) return;
  throw unusableAnswerError(said, name === null ? "null" : JSON.stringify(name));
}

function readChoice(place: JsonPlace, members: Members, { options }: ChoiceQuestion): ChoiceAnswer {
  const indexes = new Map<unknown, number>(options.map(({ value }, index) => [value, index]));
  const distribution = readEntries(memberOf(place, members, "probabilities"), indexes, "the question's choices");
  return choiceAnswer(place, members, distribution, (value) => indexes.get(value));
}

function readScore(place: JsonPlace, members: Members, { levels }: ScoreQuestion): ScoreAnswer {
  const indexes = new Map<unknown, number>(levels.map((_, index) => [index, index]));
  const distribution = readEntries(memberOf(place, members, "probabilities"), indexes, "the question's levels");
  return scoreAnswer(place, members, distribution);
}

/** Probabilities by value, in any order: each value of the question once, and no other. */
function readEntries(place: JsonPlace, indexes: ReadonlyMap<unknown, number>, values: string): Distribution {
  const places: JsonPlace[] = [];
  for (const entry of readArray(place, indexes.size, `probabilities, one for each of ${values}`)) {
    const members = answerMembers(entry);
    const value = memberOf(entry, members, "value");
    const index = indexes.get(value.value);
    if (index === undefined || places[index] !== undefined)
      throw unusableAnswerError(value, `one of ${values}, each once`);
    places[index] = memberOf(entry, members, "probability");
  }
  return readDistribution(places, place);
}
