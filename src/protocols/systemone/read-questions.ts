import type { ChoiceOption, OnlyFor, PredicateQuestion, Question, ScoreLevel } from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { checkEntryCount, checkQuestionCount } from "../shared/decision-questions.ts";
import { DECISION_BOUNDS, refuseUnknown, repeatedName } from "../shared/decision-request.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, placePath, wrongValue } from "../shared/json-place.ts";

const QUESTION_FIELDS = ["type", "instructions", "criteria"];

/**
 * The questions of `/v1/systemone`, in the order of the body's text, also for names that look like numbers (docs/api.md
 * 4.7, docs/rulings.md 29, 36). Throws `empty_questions`, `duplicate_question_name`, `invalid_question_type`,
 * `duplicate_choice_value`, `invalid_choice_value`, `unknown_parameter` and, for other faults, `invalid_input`.
 */
export function readQuestions(place: JsonPlace, surface: DecisionSurface): readonly Question[] {
  if (place.value === undefined || place.value === null) checkQuestionCount(place, 0);
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "an object with a question for each name");
  const questions = membersOf(place, (repeated) => repeatedName(repeated, "duplicate_question_name"));
  checkQuestionCount(place, questions.size);
  return [...questions].map(([name, question]) => readQuestion(name, question, surface));
}

function readQuestion(name: string, place: JsonPlace, surface: DecisionSurface): Question {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a question, which is an object");
  const members = membersOf(place);
  if (place.value.type === "box" && surface === "vendor") return readBox(name, place, members);
  const criteria = memberOf(place, members, "criteria");
  const { type } = place.value;
  if (type !== "noul" && type !== "choice" && type !== "score") {
    throw wrongValue(memberOf(place, members, "type"), "invalid_question_type", '"noul", "choice" or "score"');
  }
  refuseUnknown(members, QUESTION_FIELDS, `a ${type} question`);
  const asked = memberOf(place, members, "instructions");
  const is_bare = surface === "vendor" && (asked.value === undefined || asked.value === null);
  const base = is_bare
    ? { name, instructions: "", only: onlySystemOne(asked, "invalid_input", "instructions that are missing") }
    : { name, instructions: readText(asked, "invalid_input") };
  const written = is_bare || hasData(place.value) ? { keyed_text: place.text } : {};
  switch (type) {
    case "noul":
      return { type: "predicate", ...base, ...readNoulCriteria(criteria), ...written };
    case "choice":
      return { type: "choice", ...base, options: readOptions(criteria), ...written };
    case "score":
      return { type: "score", ...base, levels: readLevels(criteria), ...written };
  }
}

/** The public documentation has no more about a box than what is asked. */
function readBox(name: string, place: JsonPlace, members: ReadonlyMap<string, JsonPlace>): Question {
  refuseUnknown(members, ["type", "instructions"], "a box question");
  const instructions = readTextOrNull(memberOf(place, members, "instructions"), "invalid_input") ?? "";
  const only = onlySystemOne(memberOf(place, members, "type"), "invalid_question_type", '"box"');
  return { type: "box", name, instructions, keyed_text: place.text, only };
}

function onlySystemOne(place: JsonPlace, code: ErrorCode, what: string): OnlyFor {
  return { protocol: "systemone", code, param: placePath(place), what };
}

/** Whether the instructions or descriptions are data, not text. */
function hasData({ instructions, criteria }: Record<string, unknown>): boolean {
  const isData = (value: unknown) => typeof value === "object" && value !== null;
  return isData(instructions) || (isData(criteria) && Object.values(criteria as object).some(isData));
}

/** Text, or the JSON of data in place of text, as the client wrote it: public clients may send either. */
function readText(place: JsonPlace, code: ErrorCode): string {
  if (typeof place.value === "string") return place.value;
  if (typeof place.value === "object" && place.value !== null) return place.text;
  throw wrongValue(place, code, "a string, an object or an array");
}

function readTextOrNull(place: JsonPlace, code: ErrorCode): string | null {
  return place.value === undefined || place.value === null ? null : readText(place, code);
}

function readNoulCriteria(place: JsonPlace): Pick<PredicateQuestion, "when_true" | "when_false"> {
  if (place.value === undefined || place.value === null) return { when_true: null, when_false: null };
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", 'an object with "true", "false" or both');
  const members = membersOf(place);
  refuseUnknown(members, ["true", "false"], "a noul question's criteria");
  return {
    when_true: readTextOrNull(memberOf(place, members, "true"), "invalid_input"),
    when_false: readTextOrNull(memberOf(place, members, "false"), "invalid_input"),
  };
}

function readOptions(place: JsonPlace): readonly ChoiceOption[] {
  const code = "invalid_choice_value";
  if (!isObject(place.value)) throw wrongValue(place, code, "an object with a description or null for each option");
  const options = membersOf(place, (repeated) => repeatedName(repeated, "duplicate_choice_value"));
  checkEntryCount(place, options.size, DECISION_BOUNDS.choices, code);
  return [...options].map(([value, description]) => ({ value, description: readTextOrNull(description, code) }));
}

function readLevels(place: JsonPlace): readonly ScoreLevel[] {
  if (!Array.isArray(place.value)) {
    throw wrongValue(place, "invalid_input", "an array of descriptions, lowest level first");
  }
  checkEntryCount(place, place.value.length, DECISION_BOUNDS.levels, "invalid_input");
  return itemsOf(place).map((level) => ({ label: null, description: readTextOrNull(level, "invalid_input") }));
}
