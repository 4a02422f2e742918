import { BadRequest } from "../../ask.ts";
import type { AskedOption, AskedQuestion } from "../../decisions/decision.ts";
import {
  onlyFields,
  optionalText,
  requireCount,
  requireText,
  requireUnique,
  shown,
} from "../../decisions/read-strict.ts";
import { isObject, type Json, objectsOf, requireObjects, textOf } from "../read.ts";

const MOST_QUESTIONS = 400;

/** The questions of a request, checked: 1 to 400, names unique, 2 to 255 choices, 2 to 10 levels with labels. */
export function readQuestions(body: Json): AskedQuestion[] {
  const objects = requireObjects(body, "questions");
  requireCount(objects.length, 1, MOST_QUESTIONS, "questions");
  const questions = objects.map((question, index) => readQuestion(question, `questions[${index}]`));
  requireUnique(
    questions.map(({ name }) => name).filter((name) => name !== null),
    "questions",
  );
  return questions;
}

const OWN_FIELDS = { predicate: [], choice: ["choices"], score: ["levels"] } as const;

function readQuestion(question: Json, param: string): AskedQuestion {
  const { type } = question;
  if (type !== "predicate" && type !== "choice" && type !== "score")
    throw new BadRequest(
      `Invalid value: ${shown(type)}. Supported values are: predicate, choice, score.`,
      `${param}.type`,
    );
  onlyFields(question, ["type", "name", "instructions", ...OWN_FIELDS[type]], param);
  return {
    name: optionalText(question.name, `${param}.name`),
    type,
    instructions: readInstructions(question.instructions, `${param}.instructions`),
    options: type === "predicate" ? [] : type === "choice" ? readChoices(question, param) : readLevels(question, param),
  };
}

/** Reads a text, or the texts of a list of parts. */
function readInstructions(value: unknown, param: string): string {
  if (!Array.isArray(value)) return requireText(value, param);
  return requireText(
    objectsOf(value)
      .map((part) => textOf(part.text))
      .join("\n"),
    param,
  );
}

function readChoices(question: Json, param: string): AskedOption[] {
  const path = `${param}.choices`;
  const choices = Array.isArray(question.choices) ? question.choices : [];
  requireCount(choices.length, 2, 255, path);
  const options = choices.map((choice: unknown, index): AskedOption => {
    const value = isObject(choice) ? choice.value : undefined;
    if (!isObject(choice) || (typeof value !== "string" && typeof value !== "boolean"))
      throw new BadRequest(`'${path}[${index}].value' must be a text or a boolean.`, `${path}[${index}].value`);
    onlyFields(choice, ["value", "description"], `${path}[${index}]`);
    const description = optionalText(choice.description, `${path}[${index}].description`);
    return { value, label: String(value), description };
  });
  requireUnique(
    options.map(({ value }) => value),
    path,
  );
  return options;
}

function readLevels(question: Json, param: string): AskedOption[] {
  const path = `${param}.levels`;
  const levels = Array.isArray(question.levels) ? question.levels : [];
  requireCount(levels.length, 2, 10, path);
  return levels.map((level: unknown, value): AskedOption => {
    if (!isObject(level)) throw new BadRequest(`'${path}[${value}]' must be an object.`, `${path}[${value}]`);
    onlyFields(level, ["label", "description"], `${path}[${value}]`);
    const label = requireText(level.label, `${path}[${value}].label`);
    return { value, label, description: optionalText(level.description, `${path}[${value}].description`) };
  });
}
