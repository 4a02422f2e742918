import type {
  DecisionAnswer,
  DecisionClientProtocol,
  DecisionClientRequest,
  DecisionPart,
  DecisionRequest,
  DecisionResult,
  Question,
  ScoreLevel,
} from "../../core/answer/decision.ts";
import type { DecisionSurface } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { totalInput, type Usage } from "../../core/money/usage.ts";
import { refuseMore, refuseMoreBlocks } from "../shared/check-bounds.ts";
import {
  checkImageCount,
  checkOneOf,
  DECISION_BOUNDS,
  type DecisionBody,
  decisionClientRequest,
  fieldOf,
  imagesOf,
  openDecisionBody,
  optionalString,
  readModel,
  refuseUnknown,
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
import { arrayText, numberText, objectText, valueText } from "../shared/json-text.ts";
import { DecisionItemReader } from "./read-items.ts";
import { type PartRules, readContent } from "./read-parts.ts";
import { readQuestions } from "./read-questions.ts";

/** The body of an answer in the shape of docs/api.md 2.7, with the usage details that strict clients read. */
function encodeAnswer(
  { model, answers, usage }: DecisionResult,
  { questions }: DecisionRequest,
  cost?: string,
): string {
  return objectText([
    ["model", valueText(model)],
    ["answers", arrayText(questions.map((question, index) => answerText(question, answers[index])))],
    ["usage", usageText(usage, cost)],
  ]);
}

function usageText(usage: Usage, cost: string | undefined): string {
  const input_tokens = totalInput(usage);
  return JSON.stringify({
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read_tokens, cache_write_tokens: usage.cache_write_tokens },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens,
    cost,
  });
}

function answerText(question: Question, answer: DecisionAnswer | undefined): string {
  const name = ["name", question.name === null ? "null" : valueText(question.name)] as const;
  if (answer?.type === "refusal") {
    return objectText([["type", '"refusal"'], name, ["reason", valueText(answer.reason)]]);
  }
  if (answer?.type === "predicate" && question.type === "predicate") {
    return objectText([["type", '"predicate"'], name, ["probability", numberText(answer.probability)]]);
  }
  if (answer?.type === "choice" && question.type === "choice") {
    const values = question.options.map(({ value }) => valueText(value));
    return objectText([
      ["type", '"choice"'],
      name,
      ["choice", values[answer.choice] ?? "null"],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", arrayText(values.map((value, index) => optionText(value, answer.probabilities[index])))],
    ]);
  }
  if (answer?.type === "score" && question.type === "score") {
    return objectText([
      ["type", '"score"'],
      name,
      ["score", numberText(answer.score)],
      ["confidence", numberText(answer.confidence)],
      ["probabilities", levelTexts(question.levels, answer.probabilities)],
    ]);
  }
  throw new GatewayError("internal_error", "An answer is not of its question's type.");
}

function optionText(value: string, probability: number | undefined): string {
  return objectText([
    ["value", value],
    ["probability", numberText(probability ?? Number.NaN)],
  ]);
}

function levelTexts(levels: readonly ScoreLevel[], probabilities: readonly number[]): string {
  return arrayText(
    levels.map((level, index) =>
      objectText([
        ["value", String(index)],
        ["label", valueText(labelOf(level, index))],
        ["probability", numberText(probabilities[index] ?? Number.NaN)],
      ]),
    ),
  );
}

/** A level's label is never absent (docs/rulings.md 35). */
function labelOf({ label, description }: ScoreLevel, index: number): string {
  return label ?? description ?? String(index);
}

/** The client protocol of `/v1/decisions` (docs/api.md 2.7, 4.6, 7.4). */
export const decisionsClient: DecisionClientProtocol = {
  protocol: "decisions",
  endpoint: "decisions",
  error_style: "a",
  readRequest,
  encodeAnswer,
};

const FIELDS = ["model", "input", "questions", "safety_identifier"];
/** The fields that only the surface of vendors has (docs/rulings.md 174). */
const WISHES = ["prompt_cache_key", "prompt_cache_options"];
const FIELDS_OF: Readonly<Record<DecisionSurface, readonly string[]>> = {
  specification: FIELDS,
  vendor: [...FIELDS, ...WISHES],
};

/** Throws the 400 of docs/api.md 7.4 that fits, or `invalid_json`; a fault without its own code is `invalid_input`. */
function readRequest(text: string, surface: DecisionSurface = "specification"): DecisionClientRequest {
  const body = openDecisionBody(text, FIELDS_OF[surface], "/v1/decisions");
  const input = readInput(fieldOf(body, "input"), surface);
  const wishes = readWishes(body);
  const sent_members = new Map([...input.sent, ...wishes]);
  return decisionClientRequest("decisions", body, {
    model: readModel(fieldOf(body, "model")),
    input: input.messages,
    questions: readQuestions(fieldOf(body, "questions"), surface),
    ...(sent_members.size > 0 && { sent_members, wishes: [...wishes.keys(), ...input.wishes] }),
    safety_identifier: readSafetyIdentifier(fieldOf(body, "safety_identifier")),
  });
}

/** The cache's settings, checked, as they were written. Null is the same as absent. */
function readWishes(body: DecisionBody): ReadonlyMap<string, string> {
  const wishes = new Map<string, string>();
  const key = fieldOf(body, "prompt_cache_key");
  if (optionalString(key) !== null) wishes.set("prompt_cache_key", key.text);
  const options = fieldOf(body, "prompt_cache_options");
  if (options.value === undefined || options.value === null) return wishes;
  if (!isObject(options.value)) throw wrongValue(options, "invalid_input", "an object");
  const members = membersOf(options);
  refuseUnknown(members, ["mode", "ttl"], "the options of a prompt's cache");
  checkOneOf(memberOf(options, members, "mode"), ["implicit", "explicit", null]);
  checkOneOf(memberOf(options, members, "ttl"), ["30m"]);
  return wishes.set("prompt_cache_options", options.text);
}

/** Whether a text has at most so many characters. Each has one or two units of UTF-16. */
function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && [...text].length <= most);
}

function readSafetyIdentifier(place: JsonPlace): string | null {
  const identifier = optionalString(place);
  const most = DECISION_BOUNDS.safety_identifier_characters;
  if (identifier === null || hasAtMost(identifier, most)) return identifier;
  throw wrongValue(place, "invalid_input", `a string of at most ${most} characters`);
}

interface ReadInput {
  readonly messages: DecisionRequest["input"];
  /** `input` as it was written, where it says more than the messages; empty elsewhere. */
  readonly sent: readonly (readonly [name: string, text: string])[];
  /** What only vendors of this protocol honour of it, by name. */
  readonly wishes: readonly string[];
}

/**
 * The input of a decision: a string, or user messages of text, images and JSON (docs/api.md 4.6, docs/rulings.md 34); on
 * the surface of vendors all items of the public API (docs/rulings.md 174). Throws `invalid_input` and, for fields that
 * messages and parts do not have, `unknown_parameter`.
 */
function readInput(place: JsonPlace, surface: DecisionSurface): ReadInput {
  if (typeof place.value === "string") return plain([[{ type: "text", text: place.value }]]);
  if (!Array.isArray(place.value) || place.value.length === 0) {
    throw wrongValue(place, "invalid_input", "a string or an array of at least one message");
  }
  refuseMore(place.value, { bound: "messages", place: placePath(place), of: "messages", code: "invalid_input" });
  refuseMoreBlocks(place.text, place.value, ["content", "output"], { place: placePath(place), code: "invalid_input" });
  const input = surface === "vendor" ? readItems(place) : plain(itemsOf(place).map(readMessage));
  checkImageCount(imagesOf(input.messages).length, place);
  return input;
}

function plain(messages: DecisionRequest["input"]): ReadInput {
  return { messages, sent: [], wishes: [] };
}

/** Where not all items are a user's messages, each says who or what it is, before its own parts. */
function readItems(place: JsonPlace): ReadInput {
  let has_breakpoint = false;
  const reader = new DecisionItemReader(() => {
    has_breakpoint = true;
  });
  const items = itemsOf(place).map((item) => reader.read(item));
  const is_plain = items.every(({ is_user }) => is_user);
  const messages = items.map(({ label, parts }): readonly DecisionPart[] =>
    is_plain ? parts : [{ type: "text", text: label }, ...parts],
  );
  if (is_plain && !has_breakpoint) return plain(messages);
  return { messages, sent: [["input", place.text]], wishes: has_breakpoint ? ["prompt_cache_breakpoint"] : [] };
}

const USER_PARTS: PartRules = { surface: "specification", types: ["input_text", "input_image", "input_json"] };

function readMessage(place: JsonPlace): readonly DecisionPart[] {
  if (!isObject(place.value)) throw wrongValue(place, "invalid_input", "a message, which is an object");
  const members = membersOf(place);
  readConst(place, members, "role", "user");
  if (members.has("type")) readConst(place, members, "type", "message");
  refuseUnknown(members, ["type", "role", "content"], "a message");
  return readContent(memberOf(place, members, "content"), USER_PARTS);
}

function readConst(owner: JsonPlace, members: PlaceMembers, key: string, only: string): void {
  const place = memberOf(owner, members, key);
  if (place.value !== only) throw wrongValue(place, "invalid_input", JSON.stringify(only));
}
