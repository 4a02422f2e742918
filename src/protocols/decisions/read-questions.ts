import type { ChoiceOption, PredicateQuestion, Question, ScoreLevel } from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import { isObject } from "../../core/json.ts";
import { refuseMoreBlocks } from "../shared/check-bounds.ts";
import { checkEntryCount, checkQuestionCount } from "../shared/decision-questions.ts";
import {
  checkImageCount,
  DECISION_BOUNDS,
  optionalString,
  refuseUnknown,
  repeatedName,
  requiredString,
} from "../shared/decision-request.ts";
import {
  itemsOf,
  type JsonPlace,
  memberOf,
  membersOf,
  type PlaceMembers,
  placePath,
  wrongValue,
} from "../shared/json-place.ts";
import { type PartRules, readContent } from "./read-parts.ts";

/**
 * The questions of `/v1/decisions` (docs/api.md 4.6, docs/rulings.md 29, 30). Throws `empty_questions`,
 * `duplicate_question_name`, `invalid_question_type`, `duplicate_choice_value`, `invalid_choice_value`,
 * `unknown_parameter` and, for the rest, `invalid_input` (docs/rulings.md 94).
 */
export function readQuestions(place: JsonPlace, surface: DecisionSurface): readonly Question[] {
  if (place.value !== undefined && place.value !== null && !Array.isArray(place.value)) {
    throw wrongValue(place, "invalid_input", "an array of questions");
  }
  checkQuestionCount(place, (place.value ?? []).length);
  if (surface === "vendor")
    refuseMoreBlocks(place.text, place.value, ["instructions"], { place: placePath(place), code: "invalid_input" });
  const questions: Question[] = [];
  const names = new Set<string>();
  let images = 0;
  for (const item of itemsOf(place)) {
    const question = readQuestion(item, surface);
    const { name } = question;
    images += question.images?.count ?? 0;
    if (name !== null && names.has(name)) {
      throw repeatedName({ ...item, steps: [...item.steps, "name"] }, "duplicate_question_name");
    }
    if (name !== null) names.add(name);
    questions.push(question);
  }
  checkImageCount(images, place);
  return questions;
}

function readQuestion(place: JsonPlace, surface: DecisionSurface): Question {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a question, which is an object");
  const members = membersOf(place);
  switch (place.value.type) {
    case "predicate":
      refuseUnknown(members, ["type", "name", "instructions"], "a predicate question");
      return { type: "predicate", ...readBase(place, members, surface), when_true: null, when_false: null };
    case "choice":
      refuseUnknown(members, ["type", "name", "instructions", "choices"], "a choice question");
      return {
        type: "choice",
        ...readBase(place, members, surface),
        options: readChoices(memberOf(place, members, "choices")),
      };
    case "score":
      refuseUnknown(members, ["type", "name", "instructions", "levels"], "a score question");
      return {
        type: "score",
        ...readBase(place, members, surface),
        levels: readLevels(memberOf(place, members, "levels")),
      };
    default: {
      const type = memberOf(place, members, "type");
      throw wrongValue(type, "invalid_question_type", '"predicate", "choice" or "score"');
    }
  }
}

type QuestionStem = Pick<PredicateQuestion, "name" | "instructions" | "parts_text" | "images" | "only">;

function readBase(question: JsonPlace, members: PlaceMembers, surface: DecisionSurface): QuestionStem {
  const name = optionalString(memberOf(question, members, "name"));
  const asked = memberOf(question, members, "instructions");
  if (surface === "vendor" && Array.isArray(asked.value)) return { name, ...readAskedParts(asked) };
  return { name, instructions: requiredString(asked) };
}

const ASKED_PARTS: PartRules = { surface: "vendor", types: ["input_text", "input_image", "input_json"] };

/** Instructions of parts, which only vendors of this protocol get as such: elsewhere they are their texts, without images. */
function readAskedParts(place: JsonPlace): Omit<QuestionStem, "name"> {
  const parts = readContent(place, ASKED_PARTS);
  const texts = parts.flatMap((part) => (part.type === "image" ? [] : [part.text]));
  const urls = parts.flatMap((part) => (part.type === "image" ? [part.url] : []));
  const asked = { instructions: texts.join("\n"), parts_text: place.text };
  if (urls.length === 0) return asked;
  const characters = urls.reduce((sum, url) => sum + url.length, 0);
  const only = { protocol: "decisions", code: "invalid_input", param: placePath(place), what: "an image" } as const;
  return { ...asked, images: { count: urls.length, characters }, only };
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
