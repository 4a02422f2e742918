import type {
  DecisionAnswer,
  DecisionClientProtocol,
  DecisionClientRequest,
  DecisionPart,
  DecisionRequest,
  DecisionResult,
  Question,
} from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { totalInput } from "../../core/money/usage.ts";
import { refuseMore } from "../shared/check-bounds.ts";
import {
  checkImageCount,
  decisionClientRequest,
  fieldOf,
  imagesOf,
  openDecisionBody,
  optionalString,
  readImageUrl,
  readModel,
  refuseUnknown,
} from "../shared/decision-request.ts";
import { itemsOf, type JsonPlace, memberOf, membersOf, placePath, wrongValue } from "../shared/json-place.ts";
import { numberText, objectText, valueText } from "../shared/json-text.ts";
import { hasAssets, placeAssets, readAssets, unplaced } from "./read-assets.ts";
import { readQuestions } from "./read-questions.ts";

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
