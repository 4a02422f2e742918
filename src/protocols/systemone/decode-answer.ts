import type {
  BoxAnswer,
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
import { isObject } from "../../core/json.ts";
import {
  answerMembers,
  checkAnswerType,
  choiceAnswer,
  isRefusal,
  openAnswer,
  readDistribution,
  readProbability,
  readRefusal,
  scoreAnswer,
  unusableAnswerError,
} from "../shared/decision-answer.ts";
import { readDecisionUsage } from "../shared/decision-usage.ts";
import { type JsonPlace, memberOf } from "../shared/json-place.ts";
import { optionKeys, questionKeys } from "./keys.ts";

type Members = ReadonlyMap<string, JsonPlace>;

/**
 * Reads an answer in the keyed shape of `/v1/systemone`. Throws `upstream_invalid_response` unless every question is
 * answered completely and with probabilities of its options (docs/rulings.md 32, 38).
 */
export function decodeAnswer(body: WholeBody, { questions }: DecisionRequest): VendorDecision {
  const { place, members } = openAnswer(body);
  const answers = readKeyed(memberOf(place, members, "answers"), questionKeys(questions), "the questions");
  return {
    answers: questions.map((question, index) => readAnswer(answers[index] as JsonPlace, question)),
    ...readDecisionUsage(members.get("usage")?.value),
  };
}

/** The members of an object in the order of `keys`; throws unless the object has exactly these keys. */
function readKeyed(place: JsonPlace, keys: readonly string[], what: string): readonly JsonPlace[] {
  const members = answerMembers(place);
  const places = keys.map((key) => memberOf(place, members, key));
  const absent = places.find(({ value }) => value === undefined);
  if (absent !== undefined) throw unusableAnswerError(absent, `an entry for each of ${what}`);
  if (members.size === keys.length) return places;
  const asked = new Set(keys);
  const other = [...members].find(([key]) => !asked.has(key));
  throw unusableAnswerError(other?.[1] ?? place, `nothing, as it is not one of ${what}`);
}

const ANSWER_TYPES = { predicate: "noul", choice: "choice", score: "score", box: "box" } as const;

function readAnswer(place: JsonPlace, question: Question): DecisionAnswer {
  const members = answerMembers(place);
  if (isRefusal(members)) return readRefusal(members);
  checkAnswerType(place, members, ANSWER_TYPES[question.type]);
  switch (question.type) {
    case "predicate":
      return { type: "predicate", probability: readProbability(memberOf(place, members, "noul")) };
    case "choice":
      return readChoice(place, members, question);
    case "score":
      return readScore(place, members, question);
    case "box":
      return readBox(place, members);
  }
}

function readChoice(place: JsonPlace, members: Members, { options }: ChoiceQuestion): ChoiceAnswer {
  const keys = optionKeys(options);
  const all = memberOf(place, members, "probabilities");
  const distribution = readDistribution(readKeyed(all, keys, "the question's options"), all);
  const indexes = new Map<unknown, number>(keys.map((key, index) => [key, index]));
  return choiceAnswer(place, members, distribution, (value) => indexes.get(value));
}

function readScore(place: JsonPlace, members: Members, { levels }: ScoreQuestion): ScoreAnswer {
  const keys = levels.map((_, index) => String(index));
  const all = memberOf(place, members, "probabilities");
  return scoreAnswer(place, members, readDistribution(readKeyed(all, keys, "the question's levels"), all));
}

/**
 * The answer to a box question: its edges are shares of the image, from 0 to 1, top above bottom and left before right
 * (docs/rulings.md 175). They are members of the answer, or of an object `box` in it.
 */
function readBox(answer: JsonPlace, members: ReadonlyMap<string, JsonPlace>): BoxAnswer {
  const inside = memberOf(answer, members, "box");
  const holder = isObject(inside.value) ? inside : answer;
  const edges = holder === answer ? members : answerMembers(holder);
  const edge = (name: string) => readProbability(memberOf(holder, edges, name));
  const [top, bottom, left, right] = [edge("top"), edge("bottom"), edge("left"), edge("right")];
  if (top >= bottom) throw unusableAnswerError(memberOf(holder, edges, "bottom"), "an edge below the top");
  if (left >= right)
    throw unusableAnswerError(memberOf(holder, edges, "right"), "an edge to the right of the left one");
  return { type: "box", keyed_text: answer.text };
}
