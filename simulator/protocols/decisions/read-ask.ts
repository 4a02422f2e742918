import { type Ask, type AskedImage, BadRequest } from "../../ask.ts";
import { onlyFields, optionalText, requireText, shown } from "../../decisions/read-strict.ts";
import type { ModelName } from "../../model-name.ts";
import { decisionAsk } from "../../plain-ask.ts";
import { imageFromUrl, isObject, type Json, textOf } from "../read.ts";
import { readQuestions } from "./read-questions.ts";

const FIELDS = ["model", "input", "questions", "safety_identifier", "prompt_cache_key", "prompt_cache_options"];
const LONGEST_SAFETY_IDENTIFIER = 128;
const ROLES = ["user", "developer", "system", "assistant"];
const CALLS = ["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];

/** Reads a request as OpenAI's API does: unknown fields, empty input and ambiguous questions are refused. */
export function readAsk(model: ModelName, body: Json): Ask {
  onlyFields(body, FIELDS, "");
  const safety_identifier = optionalText(body.safety_identifier, "safety_identifier");
  if (safety_identifier !== null && safety_identifier.length > LONGEST_SAFETY_IDENTIFIER)
    throw new BadRequest("'safety_identifier' is longer than 128 characters.", "safety_identifier");
  const images: AskedImage[] = [];
  const state = readInput(body.input, images);
  return decisionAsk(model, body, { state, questions: readQuestions(body) }, images);
}

function readInput(input: unknown, images: AskedImage[]): string {
  if (typeof input === "string") return requireText(input, "input");
  if (!Array.isArray(input) || input.length === 0)
    throw new BadRequest(`'input' must be a text or a list of items, but it is ${shown(input)}.`, "input");
  return input.map((item: unknown, index) => readItem(item, `input[${index}]`, images)).join("\n");
}

function readItem(item: unknown, param: string, images: AskedImage[]): string {
  if (!isObject(item)) throw new BadRequest(`'${param}' must be an object.`, param);
  const type = item.type ?? "message";
  if (typeof type === "string" && CALLS.includes(type))
    return [
      textOf(item.name),
      textOf(item.arguments),
      textOf(item.input),
      readContent(item.output ?? "", param, images),
    ].join(" ");
  if (type !== "message") throw new BadRequest(`Invalid value: ${shown(type)}.`, `${param}.type`);
  onlyFields(item, ["type", "role", "content", "phase"], param);
  if (!ROLES.includes(textOf(item.role)))
    throw new BadRequest(
      `Invalid value: ${shown(item.role)}. Supported values are: ${ROLES.join(", ")}.`,
      `${param}.role`,
    );
  return readContent(item.content, `${param}.content`, images);
}

function readContent(content: unknown, param: string, images: AskedImage[]): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || content.length === 0)
    throw new BadRequest(`'${param}' must be a text or a list of parts.`, param);
  return content.map((part: unknown, index) => readPart(part, `${param}[${index}]`, images)).join("\n");
}

function readPart(part: unknown, param: string, images: AskedImage[]): string {
  if (!isObject(part)) throw new BadRequest(`'${param}' must be an object.`, param);
  const { type } = part;
  if (type === "input_text" || type === "output_text") return requireText(part.text, `${param}.text`);
  if (type === "refusal") return requireText(part.refusal, `${param}.refusal`);
  if (type === "input_json") return JSON.stringify(part.data ?? null);
  if (type !== "input_image") throw new BadRequest(`Invalid value: ${shown(type)}.`, `${param}.type`);
  images.push(imageFromUrl(part.image_url, `${param}.image_url`));
  return "";
}
