import type { EncodedRequest } from "../../core/answer/codec.ts";
import type {
  BoxAnswer,
  ChoiceOption,
  ChoiceQuestion,
  DecisionImage,
  DecisionPart,
  DecisionRequest,
  DecisionVendorProtocol,
  PredicateQuestion,
  Question,
  ScoreLevel,
  VendorDecision,
} from "../../core/answer/decision.ts";
import type { ClientHeaders, Target, WholeBody } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { betaHeaders } from "../shared/beta-headers.ts";
import { answerMembers, readDecision, readProbability, unusableAnswerError } from "../shared/decision-answer.ts";
import { refuseForeign } from "../shared/decision-questions.ts";
import { type JsonPlace, memberOf, type PlaceMembers } from "../shared/json-place.ts";
import { arrayText, objectText, valueText } from "../shared/json-text.ts";
import { readVendorError } from "../shared/vendor-error.ts";

/**
 * A decision request in the keyed shape of `/v1/systemone`, its keys in the order of the questions and options. The
 * shape has no field for the identifier of the client's user, and no mark for where a message ends (docs/api.md 4.7)
 * (docs/rulings.md 97).
 */
function encodeRequest(request: DecisionRequest, target: Target, headers: ClientHeaders): EncodedRequest {
  refuseForeign(request.questions, "systemone");
  const keys = questionKeys(request.questions);
  const body = objectText([
    ["model", valueText(target.upstream_model)],
    ...inputFields(request, target),
    ["questions", objectText(request.questions.map((question, index) => [keys[index] ?? "", questionText(question)]))],
  ]);
  const ignored = [...(request.safety_identifier === null ? [] : ["safety_identifier"]), ...(request.wishes ?? [])];
  return { path: "/systemone", body, headers: betaHeaders("systemone", headers), ignored };
}

type KeyedFields = readonly (readonly [key: string, value: string | null])[];

/**
 * The input's fields. A vendor that supports images by name gets the client's own input, with its named images,
 * unchanged.
 */
function inputFields({ input, keyed_input }: DecisionRequest, { vendor }: Target): KeyedFields {
  if (keyed_input === undefined || !vendor.quirks.image_assets) return stateFields(input.flat());
  const { state, assets } = keyed_input;
  return [
    ["state", state],
    ["assets", assets],
  ];
}

/** Images after all other parts go into `images`; images between texts, or with a detail, are parts of the state. */
function stateFields(parts: readonly DecisionPart[]): KeyedFields {
  const first_image = parts.findIndex(({ type }) => type === "image");
  const others = first_image === -1 ? parts : parts.slice(0, first_image);
  const trailing = first_image === -1 ? [] : parts.slice(first_image);
  if (!trailing.every(isPlainImage)) return [["state", arrayText(parts.map(partText))]];
  const images = trailing.map(({ url }) => valueText(url));
  return [
    ["state", stateText(others)],
    ["images", images.length === 0 ? null : arrayText(images)],
  ];
}

function isPlainImage(part: DecisionPart): part is DecisionImage {
  return part.type === "image" && part.detail === undefined;
}

function stateText(parts: readonly DecisionPart[]): string {
  const [part] = parts;
  if (part === undefined) return '""';
  if (parts.length > 1) return arrayText(parts.map(partText));
  return part.type === "json" ? part.text : part.type === "text" ? valueText(part.text) : arrayText([partText(part)]);
}

/** A part as text; data becomes the text of its JSON, because the shape's parts are only texts and images. */
function partText(part: DecisionPart): string {
  if (part.type !== "image") return JSON.stringify({ type: "text", text: part.text });
  const { url, detail } = part;
  return JSON.stringify({ type: "image_url", image_url: detail === undefined ? { url } : { url, detail } });
}

function questionText(question: Question): string {
  if (question.keyed_text !== undefined) return question.keyed_text;
  const instructions = ["instructions", valueText(question.instructions)] as const;
  switch (question.type) {
    case "predicate":
      return objectText([["type", '"noul"'], instructions, ["criteria", noulCriteria(question)]]);
    case "choice":
      return objectText([["type", '"choice"'], instructions, ["criteria", choiceCriteria(question)]]);
    case "box":
      return question.keyed_text;
    case "score":
      return objectText([["type", '"score"'], instructions, ["criteria", arrayText(question.levels.map(levelText))]]);
  }
}

function noulCriteria({ when_true, when_false }: PredicateQuestion): string | null {
  if (when_true === null && when_false === null) return null;
  return objectText([
    ["true", valueText(when_true)],
    ["false", valueText(when_false)],
  ]);
}

function choiceCriteria({ options }: ChoiceQuestion): string {
  const keys = optionKeys(options);
  return objectText(options.map(({ description }, at) => [keys[at] ?? "", valueText(description) ?? "null"]));
}

/** A level's label and description in one text; a level without both is named by its index (docs/rulings.md 35). */
function levelText({ label, description }: ScoreLevel, index: number): string {
  if (label !== null && description !== null) return valueText(`${label}: ${description}`);
  return valueText(label ?? description ?? String(index));
}

/**
 * The vendor protocol of vendors that answer decisions in the keyed shape of `/v1/systemone` (docs/api.md 2.7, 4.7).
 */
export const systemoneVendor: DecisionVendorProtocol = {
  protocol: "systemone",
  encodeRequest,
  decodeAnswer,
  readError: readVendorError,
};

/** Reads an answer in the keyed shape of `/v1/systemone`: see `readDecision`. */
function decodeAnswer(body: WholeBody, request: DecisionRequest): VendorDecision {
  return readDecision(body, request, {
    answersIn: (answers, questions) => readKeyed(answers, questionKeys(questions), "the questions"),
    predicate: { type: "noul", member: "noul" },
    optionKeys,
    options: "options",
    levelKey: String,
    chancesIn: (place, keys, what) => readKeyed(place, keys.map(String), what),
    box: readBox,
  });
}

/** The members of an object in the order of `keys`; throws unless the object has exactly these keys. */
function readKeyed(place: JsonPlace, keys: readonly string[], what: string): readonly JsonPlace[] {
  const members = answerMembers(place);
  const places = keys.map((key) => memberOf(place, members, key));
  const absent = places.find(({ value }) => value === undefined);
  if (absent !== undefined) throw unusableAnswerError(absent, `an entry for each of ${what}`);
  if (members.size === keys.length) return places;
  const asked = new Set(keys);
  const other = [...members].find(([key]) => !asked.has(key));
  throw unusableAnswerError(other?.[1] ?? place, `nothing, as it is not one of ${what}`);
}

/**
 * The answer to a box question: its edges are shares of the image, from 0 to 1, top above bottom and left before right
 * (docs/rulings.md 175). They are members of the answer, or of an object `box` in it.
 */
function readBox(answer: JsonPlace, members: PlaceMembers): BoxAnswer {
  const inside = memberOf(answer, members, "box");
  const holder = isObject(inside.value) ? inside : answer;
  const edges = holder === answer ? members : answerMembers(holder);
  const edge = (name: string) => readProbability(memberOf(holder, edges, name));
  const [top, bottom, left, right] = [edge("top"), edge("bottom"), edge("left"), edge("right")];
  if (top >= bottom) throw unusableAnswerError(memberOf(holder, edges, "bottom"), "an edge below the top");
  if (left >= right)
    throw unusableAnswerError(memberOf(holder, edges, "right"), "an edge to the right of the left one");
  return { type: "box", keyed_text: answer.text };
}

/**
 * One key for each question: its name, or `question_N` (the first is 1), lengthened where another question has that
 * name. The keyed shape requires keys where requests may have none; request and answer derive equal ones, so that nothing
 * has to be remembered in between.
 */
function questionKeys(questions: readonly Question[]): readonly string[] {
  const taken = new Set(questions.flatMap(({ name }) => (name === null ? [] : [name])));
  return questions.map(({ name }, index) => name ?? freeKey(`question_${index + 1}`, "_", taken));
}

/**
 * One key for each option: a string as it is, a boolean as `true` or `false`. Where `true` and `"true"` are both
 * options, which are different values (docs/rulings.md 30), the boolean is `true (boolean)`.
 */
function optionKeys(options: readonly ChoiceOption[]): readonly string[] {
  const taken = new Set(options.flatMap(({ value }) => (typeof value === "string" ? [value] : [])));
  return options.map(({ value }) => (typeof value === "string" ? value : freeKey(String(value), " (boolean)", taken)));
}

function freeKey(wanted: string, suffix: string, taken: Set<string>): string {
  let key = wanted;
  while (taken.has(key)) key += suffix;
  taken.add(key);
  return key;
}
