import type { ChoiceOption, Question, ScoreLevel } from "../../core/decision.ts";
import { isObject } from "../../core/json.ts";
import {
  DECISION_BOUNDS,
  optionalString,
  refuseUnknown,
  repeatedName,
  requiredString,
} from "../shared/decision-request.ts";
import { checkEntryCount, checkQuestionCount } from "../shared/decision-questions.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, wrongValue } from "../shared/json-place.ts";

type Members = ReadonlyMap<string, JsonPlace>;

/**
 * The questions of `/v1/decisions` (docs/api.md 4.6, docs/rulings.md 29, 30). Throws `empty_questions`,
 * `duplicate_question_name`, `invalid_question_type`, `duplicate_choice_value`, `invalid_choice_value`,
 * `unknown_parameter` and, for the rest, `invalid_input`.
 */
export function readQuestions(place: JsonPlace): readonly Question[] {
  if (place.value !== undefined && place.value !== null && !Array.isArray(place.value)) {
    throw wrongValue(place, "invalid_input", "an array of questions");
  }
  checkQuestionCount(place, (place.value ?? []).length);
  const questions: Question[] = [];
  const names = new Set<string>();
  for (const item of itemsOf(place)) {
    const question = readQuestion(item);
    const { name } = question;
    if (name !== null && names.has(name)) {
      throw repeatedName({ ...item, steps: [...item.steps, "name"] }, "duplicate_question_name");
    }
    if (name !== null) names.add(name);
    questions.push(question);
  }
  return questions;
}

function readQuestion(place: JsonPlace): Question {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a question, which is an object");
  const members = membersOf(place);
  switch (place.value.type) {
    case "predicate":
      refuseUnknown(members, ["type", "name", "instructions"], "a predicate question");
      return { type: "predicate", ...readBase(place, members), when_true: null, when_false: null };
    case "choice":
      refuseUnknown(members, ["type", "name", "instructions", "choices"], "a choice question");
      return { type: "choice", ...readBase(place, members), options: readChoices(memberOf(place, members, "choices")) };
    case "score":
      refuseUnknown(members, ["type", "name", "instructions", "levels"], "a score question");
      return { type: "score", ...readBase(place, members), levels: readLevels(memberOf(place, members, "levels")) };
    default: {
      const type = memberOf(place, members, "type");
      throw wrongValue(type, "invalid_question_type", '"predicate", "choice" or "score"');
    }
  }
}

function readBase(question: JsonPlace, members: Members): Pick<Question, "name" | "instructions"> {
  return {
    name: optionalString(memberOf(question, members, "name")),
    instructions: requiredString(memberOf(question, members, "instructions")),
  };
}

function readChoices(place: JsonPlace): readonly ChoiceOption[] {
  const { min, max } = DECISION_BOUNDS.choices;
  if (!Array.isArray(place.value)) {
    throw wrongValue(place, "invalid_choice_value", `an array of ${min} to ${max} choices`);
  }
  checkEntryCount(place, place.value.length, DECISION_BOUNDS.choices, "invalid_choice_value");
  const seen = new Set<string | boolean>();
  return itemsOf(place).map((item) => readChoice(item, seen));
}

function readChoice(place: JsonPlace, seen: Set<string | boolean>): ChoiceOption {
  if (!isObject(place.value)) {
    throw wrongValue(place, "invalid_choice_value", "a choice, which is an object with a value");
  }
  const members = membersOf(place);
  refuseUnknown(members, ["value", "description"], "a choice");
  const at = memberOf(place, members, "value");
  const { value } = at;
  if (typeof value !== "string" && typeof value !== "boolean") {
    throw wrongValue(at, "invalid_choice_value", "a string or a boolean");
  }
  if (seen.has(value)) throw repeatedName(at, "duplicate_choice_value");
  seen.add(value);
  return { value, description: optionalString(memberOf(place, members, "description"), "invalid_choice_value") };
}

function readLevels(place: JsonPlace): readonly ScoreLevel[] {
  const { min, max } = DECISION_BOUNDS.levels;
  if (!Array.isArray(place.value)) throw wrongValue(place, "invalid_input", `an array of ${min} to ${max} levels`);
  checkEntryCount(place, place.value.length, DECISION_BOUNDS.levels, "invalid_input");
  return itemsOf(place).map(readLevel);
}

function readLevel(place: JsonPlace): ScoreLevel {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a level, which is an object");
  const members = membersOf(place);
  refuseUnknown(members, ["label", "description"], "a level");
  return {
    label: optionalString(memberOf(place, members, "label")),
    description: optionalString(memberOf(place, members, "description")),
  };
}
