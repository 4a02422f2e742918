import type { DecisionRequest, DecisionVendorProtocol, Question, VendorDecision } from "../../core/answer/decision.ts";
import type { WholeBody } from "../../core/answer/exchange.ts";
import { answerMembers, type Members, readDecision, unusableAnswerError } from "../shared/decision-answer.ts";
import { itemsOf, type JsonPlace, memberOf } from "../shared/json-place.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { encodeRequest } from "./encode-request.ts";

/** The vendor protocol of vendors that answer decisions in the shape of `/v1/decisions` (docs/api.md 2.7, 4.6). */
export const decisionsVendor: DecisionVendorProtocol = {
  protocol: "decisions",
  encodeRequest,
  decodeAnswer,
  readError: readRelayedError,
};

/** Reads an answer in the shape of `/v1/decisions`: see `readDecision`. */
function decodeAnswer(body: WholeBody, request: DecisionRequest): VendorDecision {
  return readDecision(body, request, {
    answersIn: (answers, questions) => readArray(answers, questions.length, "answers, one for each question"),
    predicate: { type: "predicate", member: "probability" },
    optionKeys: (options) => options.map(({ value }) => value),
    options: "choices",
    levelKey: (index) => index,
    chancesIn: readEntries,
    checkAnswer: checkName,
  });
}

function readArray(place: JsonPlace, length: number, what: string): readonly JsonPlace[] {
  if (!Array.isArray(place.value) || place.value.length !== length)
    throw unusableAnswerError(place, `an array of ${length} ${what}`);
  return itemsOf(place);
}

/**
 * Answers must stand in the order of the questions: throws for an answer that names another question than the one at
 * its place.
 */
function checkName(place: JsonPlace, members: Members, { name }: Question): void {
  const said = memberOf(place, members, "name");
  if (said.value === undefined || said.value === null || said.value === name) return;
  throw unusableAnswerError(said, name === null ? "null" : JSON.stringify(name));
}

/** Probabilities by value, in any order: each value of the question once, and no other. */
function readEntries(place: JsonPlace, keys: readonly unknown[], values: string): readonly JsonPlace[] {
  const indexes = new Map(keys.map((key, index) => [key, index]));
  const places: JsonPlace[] = [];
  for (const entry of readArray(place, indexes.size, `probabilities, one for each of ${values}`)) {
    const members = answerMembers(entry);
    const value = memberOf(entry, members, "value");
    const index = indexes.get(value.value);
    if (index === undefined || places[index] !== undefined)
      throw unusableAnswerError(value, `one of ${values}, each once`);
    places[index] = memberOf(entry, members, "probability");
  }
  return places;
}
