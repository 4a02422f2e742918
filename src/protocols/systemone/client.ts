import type {
  ChoiceOption,
  DecisionAnswer,
  DecisionClientProtocol,
  DecisionClientRequest,
  DecisionPart,
  DecisionRequest,
  DecisionResult,
  OnlyFor,
  PredicateQuestion,
  Question,
  ScoreLevel,
} from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { totalInput } from "../../core/money/usage.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import { checkEntryCount, checkQuestionCount } from "../shared/decision-questions.ts";
import {
  checkImageCount,
  DECISION_BOUNDS,
  decisionClientRequest,
  fieldOf,
  imagesOf,
  openDecisionBody,
  optionalString,
  readImageUrl,
  readModel,
  refuseUnknown,
  repeatedName,
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
import { numberText, objectText, valueText } from "../shared/json-text.ts";
import { hasAssets, placeAssets, readAssets, unplaced } from "./read-assets.ts";

/** The client protocol of `/v1/systemone` (docs/api.md 2.7, 4.7, 7.4). */
export const systemoneClient: DecisionClientProtocol = {
  protocol: "systemone",
  endpoint: "systemone",
  error_style: "a",
  readRequest,
  encodeAnswer,
};

const FIELDS = ["model", "state", "images", "assets", "questions"];

/** Throws the 400 of docs/api.md 7.4 that fits, or `invalid_json`; a fault without its own code is `invalid_input`. */
function readRequest(text: string, surface: DecisionSurface = "specification"): DecisionClientRequest {
  const body = openDecisionBody(text, FIELDS, "/v1/systemone");
  const state = fieldOf(body, "state");
  const assets = fieldOf(body, "assets");
  return decisionClientRequest("systemone", body, {
    model: readModel(fieldOf(body, "model")),
    input: readState(state, { images: fieldOf(body, "images"), assets }, surface),
    ...(hasAssets(assets) && { keyed_input: { state: state.text, assets: assets.text } }),
    questions: readQuestions(fieldOf(body, "questions"), surface),
    safety_identifier: null,
  });
}

/** The body of an answer in the keyed shape of docs/api.md 2.7, with its keys in the order of the request. */
function encodeAnswer(
  { model, answers, usage }: DecisionResult,
  { questions }: DecisionRequest,
  cost?: string,
): string {
  return objectText([
    ["model", valueText(model)],
    [
      "answers",
      objectText(
        questions.map((question, index) => [question.name ?? String(index), answerText(question, answers[index])]),
      ),
    ],
    ["usage", JSON.stringify({ input_tokens: totalInput(usage), output_tokens: 0, cost })],
  ]);
}

function answerText(question: Question, answer: DecisionAnswer | undefined): string {
  if (answer?.type === "refusal") {
    return objectText([
      ["type", '"refusal"'],
      ["reason", valueText(answer.reason)],
    ]);
  }
  if (answer?.type === "predicate" && question.type === "predicate") {
    return objectText([
      ["type", '"noul"'],
      ["noul", numberText(answer.probability)],
    ]);
  }
  if (answer?.type === "choice" && question.type === "choice") {
    const keys = question.options.map(({ value }) => String(value));
    return objectText([
      ["type", '"choice"'],
      ["choice", valueText(keys[answer.choice] ?? null)],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", keyedProbabilities(keys, answer.probabilities)],
    ]);
  }
  if (answer?.type === "score" && question.type === "score") {
    const indexes = question.levels.map((_, index) => String(index));
    return objectText([
      ["type", '"score"'],
      ["score", numberText(answer.score)],
      ["confidence", numberText(answer.confidence)],
      // A level without a description is named by its index, as `label` is on `/v1/decisions` (docs/rulings.md 35).
      [
        "legend",
        objectText(
          question.levels.map(({ description }, at) => [indexes[at] ?? "", valueText(description ?? String(at))]),
        ),
      ],
      ["probabilities", keyedProbabilities(indexes, answer.probabilities)],
    ]);
  }
  if (answer?.type === "box" && question.type === "box") return answer.keyed_text;
  throw new GatewayError("internal_error", "An answer is not of its question's type.");
}

function keyedProbabilities(keys: readonly string[], probabilities: readonly number[]): string {
  return objectText(keys.map((key, index) => [key, numberText(probabilities[index] ?? Number.NaN)]));
}

/**
 * The state and its images, as one message (docs/api.md 4.7): the images without names follow the state. An image with
 * a name stands after its name in a text of the state; one that no text names follows the state, after its name. A
 * state is text, or data whose JSON is passed on as the client wrote it; on the surface of vendors it may be null. An array is read as parts where one of its
 * items is an image, or where all are texts; any other array is data. Throws `invalid_input` and, for fields that parts
 * do not have, `unknown_parameter` (docs/rulings.md 96).
 */
function readState(
  state: JsonPlace,
  { images, assets }: { readonly images: JsonPlace; readonly assets: JsonPlace },
  surface: DecisionSurface,
): DecisionRequest["input"] {
  const named = readAssets(assets);
  const parts = placeAssets(stateParts(state, surface), named);
  const following = [...readImages(images, surface), ...unplaced(named)];
  // An empty state is left out where images follow it.
  const input = [state.value === "" && following.length > 0 ? following : [...parts, ...following]];
  const holder = [assets, images].find(({ value }) => value !== undefined) ?? state;
  checkImageCount(imagesOf(input).length, holder);
  return input;
}

function stateParts(state: JsonPlace, surface: DecisionSurface): readonly DecisionPart[] {
  const { value, text } = state;
  if (value === null && surface === "vendor") return [{ type: "json", text }];
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (isObject(value)) return [{ type: "json", text }];
  if (!Array.isArray(value)) throw wrongValue(state, "invalid_input", "a string, an object or an array");
  if (!isParts(value)) return [{ type: "json", text }];
  refuseMore(value, { bound: "blocks", place: placePath(state), of: "parts", code: "invalid_input" });
  return itemsOf(state).map((item) => readPart(item, surface));
}

function isParts(items: readonly unknown[]): boolean {
  if (items.some((item) => isObject(item) && item.type === "image_url")) return true;
  return items.length > 0 && items.every(isTextPart);
}

function isTextPart(item: unknown): item is { readonly text: string } {
  return isObject(item) && item.type === "text" && typeof item.text === "string" && Object.keys(item).length === 2;
}

/** Reads an item of an array of parts; an item that is neither text nor image is data. */
function readPart(place: JsonPlace, surface: DecisionSurface): DecisionPart {
  const { value, text } = place;
  if (typeof value === "string") return { type: "text", text: value };
  if (isTextPart(value)) return { type: "text", text: value.text };
  if (!isObject(value) || value.type !== "image_url") return { type: "json", text };
  const members = membersOf(place);
  refuseUnknown(members, ["type", "image_url"], "an image part");
  const image = memberOf(place, members, "image_url");
  if (!isObject(image.value)) throw wrongValue(image, "invalid_input", "an object with a url");
  const fields = membersOf(image);
  refuseUnknown(fields, ["url", "detail"], "an image");
  const url = readImageUrl(memberOf(image, fields, "url"), surface);
  const detail = optionalString(memberOf(image, fields, "detail"));
  return detail === null ? { type: "image", url } : { type: "image", url, detail };
}

function readImages(place: JsonPlace, surface: DecisionSurface): readonly DecisionPart[] {
  if (place.value === undefined || place.value === null) return [];
  if (!Array.isArray(place.value)) throw wrongValue(place, "invalid_input", "an array of data URLs");
  refuseMore(place.value, { bound: "blocks", place: placePath(place), of: "images", code: "invalid_input" });
  return itemsOf(place).map((item) => ({ type: "image", url: readImageUrl(item, surface) }));
}

const QUESTION_FIELDS = ["type", "instructions", "criteria"];

/**
 * The questions of `/v1/systemone`, in the order of the body's text, also for names that look like numbers (docs/api.md
 * 4.7, docs/rulings.md 29, 36). Throws `empty_questions`, `duplicate_question_name`, `invalid_question_type`,
 * `duplicate_choice_value`, `invalid_choice_value`, `unknown_parameter` and, for other faults, `invalid_input`.
 */
function readQuestions(place: JsonPlace, surface: DecisionSurface): readonly Question[] {
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
function readBox(name: string, place: JsonPlace, members: PlaceMembers): Question {
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
