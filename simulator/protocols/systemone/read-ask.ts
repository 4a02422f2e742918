import { type Ask, type AskedImage, BadRequest } from "../../ask.ts";
import type { AskedOption, AskedQuestion } from "../../decisions/decision.ts";
import { onlyFields, requireCount, shown } from "../../decisions/read-strict.ts";
import type { ModelName } from "../../model-name.ts";
import { decisionAsk } from "../../plain-ask.ts";
import { imageFromUrl, isObject, type Json, textOf } from "../read.ts";

/** Reads a request as System One's servers do: unknown fields at the top are ignored, those of questions refused. */
export function readAsk(model: ModelName, body: Json): Ask {
  const images: AskedImage[] = [];
  const state = readState(body.state, images);
  const added = body.images ?? [];
  if (!Array.isArray(added)) throw new BadRequest("'images' must be a list.", "images");
  for (const [index, image] of added.entries()) images.push(readImage(image, `images[${index}]`));
  images.push(...readAssets(body.assets));
  if (!isObject(body.questions) || Object.keys(body.questions).length === 0)
    throw new BadRequest("'questions' must be an object with at least one question.", "questions");
  const questions = Object.entries(body.questions).map(([name, question]) => readQuestion(name, question));
  return decisionAsk(model, body, { state, questions }, images);
}

/** A text, a list of parts, or any other value as JSON. */
function readState(state: unknown, images: AskedImage[]): string {
  if (state === undefined || state === null || state === "") throw new BadRequest("'state' is required.", "state");
  if (!Array.isArray(state)) return contentText(state);
  return state
    .map((part: unknown, index) => {
      if (isObject(part) && part.type === "text" && typeof part.text === "string") return part.text;
      if (!isObject(part) || part.type !== "image_url") return contentText(part);
      images.push(readImage(part, `state[${index}]`));
      return "";
    })
    .join("\n");
}

/** Images by the names that texts have for them. */
function readAssets(assets: unknown): AskedImage[] {
  if (assets === undefined || assets === null) return [];
  if (!isObject(assets) || Object.keys(assets).length === 0) throw new BadRequest("'assets' is empty.", "assets");
  return Object.entries(assets).map(([name, asset]) => {
    const param = `assets.${name}.data_base64`;
    if (!isObject(asset) || typeof asset.data_base64 !== "string")
      throw new BadRequest(`'${param}' is required.`, param);
    return imageFromUrl(`data:image/${textOf(asset.format ?? "png")};base64,${asset.data_base64}`, param);
  });
}

/** An image in chat's format, or its URL alone. */
function readImage(image: unknown, param: string): AskedImage {
  if (!isObject(image)) return imageFromUrl(image, param);
  const source = image.image_url;
  return imageFromUrl(isObject(source) ? source.url : (source ?? image.url), param);
}

function readQuestion(name: string, question: unknown): AskedQuestion {
  const param = `questions.${name}`;
  if (!isObject(question)) throw new BadRequest(`'${param}' must be an object.`, param);
  onlyFields(question, ["type", "instructions", "criteria"], param);
  const instructions = contentText(question.instructions);
  const path = `${param}.criteria`;
  switch (question.type) {
    case "noul":
      return { name, type: "predicate", instructions, options: readMeanings(question, instructions, path) };
    case "choice":
      return { name, type: "choice", instructions, options: readChoices(question.criteria, path) };
    case "score":
      return { name, type: "score", instructions, options: readLevels(question.criteria, path) };
    case "box":
      onlyFields(question, ["type", "instructions"], param);
      return { name, type: "box", instructions, options: [] };
    default:
      throw new BadRequest(
        `Invalid type: ${shown(question.type)}. Allowed: noul, choice, score, box.`,
        `${param}.type`,
      );
  }
}

function readMeanings({ criteria }: Json, instructions: string, param: string): AskedOption[] {
  const given = criteria ?? {};
  if (!isObject(given)) throw new BadRequest(`'${param}' must be an object.`, param);
  onlyFields(given, ["true", "false"], param);
  const options = [true, false].map((value) => {
    const meaning = given[String(value)];
    return { value, label: "", description: meaning === undefined || meaning === null ? null : contentText(meaning) };
  });
  if (instructions.trim() === "" && options.every(({ description }) => description === null))
    throw new BadRequest(`'${param}' or instructions must say what is asked.`, param);
  return options;
}

function readChoices(criteria: unknown, param: string): AskedOption[] {
  if (!isObject(criteria)) throw new BadRequest(`'${param}' must be an object of options.`, param);
  const entries = Object.entries(criteria);
  requireCount(entries.length, 1, 255, param);
  return entries.map(([value, meaning]) => ({
    value,
    label: value,
    description: meaning === null ? null : contentText(meaning),
  }));
}

function readLevels(criteria: unknown, param: string): AskedOption[] {
  if (!Array.isArray(criteria)) throw new BadRequest(`'${param}' must be a list of levels.`, param);
  requireCount(criteria.length, 1, 10, param);
  return criteria.map((level: unknown, value) => {
    const label = contentText(level);
    if (label.trim() === "") throw new BadRequest(`'${param}[${value}]' must say something.`, `${param}[${value}]`);
    return { value, label, description: null };
  });
}

/** A text as it is; any other value as JSON. */
function contentText(value: unknown): string {
  return typeof value === "string"
    ? value
    : value === undefined || value === null
      ? textOf(value)
      : JSON.stringify(value);
}
