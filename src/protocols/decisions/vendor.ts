import type { EncodedRequest } from "../../core/answer/codec.ts";
import type {
  DecisionPart,
  DecisionRequest,
  DecisionVendorProtocol,
  PredicateQuestion,
  Question,
  ScoreLevel,
  VendorDecision,
} from "../../core/answer/decision.ts";
import type { Target, WholeBody } from "../../core/answer/exchange.ts";
import { answerMembers, readDecision, unusableAnswerError } from "../shared/decision-answer.ts";
import { foreignError, refuseForeign } from "../shared/decision-questions.ts";
import { findItems } from "../shared/json-members.ts";
import { itemsOf, type JsonPlace, memberOf, type PlaceMembers } from "../shared/json-place.ts";
import { arrayText, objectText, valueText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";

/**
 * A decision request in the shape of `/v1/decisions`. The shape has no field for the meaning of a predicate's answers,
 * so it is written after the instructions. The identifier of the client's user goes to vendors whose row says so
 * (docs/api.md 4.6, docs/rulings.md 39, 97).
 */
function encodeRequest(request: DecisionRequest, { upstream_model, vendor }: Target): EncodedRequest {
  refuseForeign(request.questions, "decisions");
  const forwards = vendor.forwards_safety_identifier;
  const { sent_members: sent } = request;
  const body = objectText([
    ["model", valueText(upstream_model)],
    ["input", sent?.get("input") ?? inputText(request.input)],
    ["prompt_cache_key", sent?.get("prompt_cache_key") ?? null],
    ["prompt_cache_options", sent?.get("prompt_cache_options") ?? null],
    ["questions", arrayText(request.questions.map(questionText))],
    ["safety_identifier", forwards ? valueText(request.safety_identifier) : null],
  ]);
  const ignored = forwards || request.safety_identifier === null ? [] : ["safety_identifier"];
  return { path: "/decisions", body, headers: {}, ignored };
}

function inputText(input: DecisionRequest["input"]): string {
  const messages = input.map((parts) => parts.map(sendable));
  const only = messages.length === 1 ? plainText(messages[0] ?? []) : null;
  return only ?? arrayText(messages.map(messageText));
}

/** Data that the public API does not accept as a JSON part is sent as text. */
function sendable(part: DecisionPart): DecisionPart {
  return part.type === "json" && !isJsonPart(part.text) ? { type: "text", text: part.text } : part;
}

function messageText(parts: readonly DecisionPart[]): string {
  return objectText([
    ["role", '"user"'],
    ["content", plainText(parts) ?? arrayText(parts.map(partText))],
  ]);
}

/** The JSON of the only part, where that is a text; else null. */
function plainText(parts: readonly DecisionPart[]): string | null {
  const [part] = parts;
  return parts.length === 1 && part?.type === "text" ? valueText(part.text) : null;
}

function partText(part: DecisionPart): string {
  switch (part.type) {
    case "text":
      return objectText([
        ["type", '"input_text"'],
        ["text", valueText(part.text)],
      ]);
    case "json":
      return objectText([
        ["type", '"input_json"'],
        ["data", part.text],
      ]);
    case "image":
      return objectText([
        ["type", '"input_image"'],
        ["image_url", valueText(part.url)],
        ["detail", valueText(part.detail ?? null)],
      ]);
  }
}

const MOST_JSON_BYTES = 256 * 1024;

/** Whether the public API takes a value as a JSON part: an object, or an array of objects, of limited size. */
function isJsonPart(text: string): boolean {
  if (Buffer.byteLength(text) > MOST_JSON_BYTES) return false;
  return text.startsWith("{") || findItems(text, 0).every(({ start }) => text[start] === "{");
}

function questionText(question: Question): string {
  const base = [
    ["type", valueText(question.type)],
    ["name", valueText(question.name)],
  ] as const;
  switch (question.type) {
    case "predicate":
      return objectText([...base, ["instructions", question.parts_text ?? valueText(withCriteria(question))]]);
    case "choice":
      return objectText([
        ...base,
        ["instructions", question.parts_text ?? valueText(question.instructions)],
        [
          "choices",
          arrayText(question.options.map(({ value, description }) => entryText("value", value, description))),
        ],
      ]);
    case "score":
      return objectText([
        ...base,
        ["instructions", question.parts_text ?? valueText(question.instructions)],
        ["levels", arrayText(question.levels.map(levelText))],
      ]);
    case "box":
      throw foreignError(question.only);
  }
}

function withCriteria({ instructions, when_true, when_false }: PredicateQuestion): string {
  const lines = [instructions];
  if (when_true !== null) lines.push(`True means: ${when_true}`);
  if (when_false !== null) lines.push(`False means: ${when_false}`);
  return lines.join("\n");
}

/** The public API requires a label; a level without one gets the label that answers give it (docs/rulings.md 35). */
function levelText({ label, description }: ScoreLevel, index: number): string {
  return label === null
    ? entryText("label", description ?? String(index), null)
    : entryText("label", label, description);
}

function entryText(key: string, value: string | boolean, description: string | null): string {
  return objectText([
    [key, valueText(value)],
    ["description", valueText(description)],
  ]);
}

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
function checkName(place: JsonPlace, members: PlaceMembers, { name }: Question): void {
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
