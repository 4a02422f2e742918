import type {
  BoxAnswer,
  ChoiceAnswer,
  ChoiceOption,
  DecisionAnswer,
  DecisionRequest,
  Question,
  RefusalAnswer,
  ScoreAnswer,
  VendorDecision,
} from "../../core/answer/decision.ts";
import { choiceConfidence, expectedLevel, modeOf, scoreConfidence } from "../../core/answer/decision-confidence.ts";
import type { WholeBody } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { describe, isObject, type JsonRecord } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { foreignError } from "./decision-questions.ts";
import { type JsonPlace, memberOf, membersOf, type PlaceMembers, placePath } from "./json-place.ts";
import { parseJson } from "./parse-json.ts";
import { styleAUsage, toldWrites, writeDetails } from "./rare-usage.ts";

/**
 * A vendor's answer is checked before any part of it is shown or charged (docs/rulings.md 32, 38): it answers every
 * question, and its numbers are probabilities of exactly the options in the question.
 */

/** How far the sum of probabilities may be from 1, for vendors that round. */
const SUM_TOLERANCE = 0.02;
/** A sum nearer to 1 than this stays unchanged: dividing by it would only add noise to the vendor's numbers. */
const SUM_NOISE = 1e-9;
/** A number in single precision may exceed a bound by its last bit. */
const ROUNDING = 1e-6;

/** What differs between the two wire shapes of an answer. */
export interface DecisionShape {
  /** The answers, in the order of the questions. */
  readonly answersIn: (answers: JsonPlace, questions: readonly Question[]) => readonly JsonPlace[];
  /** The type of a yes/no answer, and the member with the probability of yes. */
  readonly predicate: { readonly type: string; readonly member: string };
  /** What an option and a level are called among the probabilities, and what all of them are called in a sentence. */
  readonly optionKeys: (options: readonly ChoiceOption[]) => readonly unknown[];
  readonly options: string;
  readonly levelKey: (index: number) => unknown;
  /** The probabilities in the order of `keys`: throws unless there is one for each, and no other. */
  readonly chancesIn: (place: JsonPlace, keys: readonly unknown[], what: string) => readonly JsonPlace[];
  /** Throws for an answer that is not that of its question. */
  readonly checkAnswer?: (place: JsonPlace, members: PlaceMembers, question: Question) => void;
  /** Absent where the shape has no box questions. */
  readonly box?: (place: JsonPlace, members: PlaceMembers) => BoxAnswer;
}

/**
 * Reads an answer in a wire shape. Throws `upstream_invalid_response` unless every question is answered completely and with
 * probabilities of its options (docs/rulings.md 32, 38).
 */
export function readDecision(body: WholeBody, { questions }: DecisionRequest, shape: DecisionShape): VendorDecision {
  const { place, members } = openAnswer(body);
  const answers = shape.answersIn(memberOf(place, members, "answers"), questions);
  return {
    answers: questions.map((question, index) => readAnswer(answers[index] as JsonPlace, question, shape)),
    ...readDecisionUsage(members.get("usage")?.value),
  };
}

function readAnswer(place: JsonPlace, question: Question, shape: DecisionShape): DecisionAnswer {
  const members = answerMembers(place);
  shape.checkAnswer?.(place, members, question);
  if (members.get("type")?.value === "refusal") return readRefusal(members);
  checkAnswerType(place, members, question.type === "predicate" ? shape.predicate.type : question.type);
  const distributionOf = (keys: readonly unknown[], what: string): Distribution => {
    const all = memberOf(place, members, "probabilities");
    return readDistribution(shape.chancesIn(all, keys, `the question's ${what}`), all);
  };
  switch (question.type) {
    case "predicate":
      return { type: "predicate", probability: readProbability(memberOf(place, members, shape.predicate.member)) };
    case "choice": {
      const keys = shape.optionKeys(question.options);
      const indexes = new Map(keys.map((key, index) => [key, index]));
      return choiceAnswer(place, members, distributionOf(keys, shape.options), (value) => indexes.get(value));
    }
    case "score": {
      const keys = question.levels.map((_, index) => shape.levelKey(index));
      return scoreAnswer(place, members, distributionOf(keys, "levels"));
    }
    case "box":
      if (shape.box === undefined) throw foreignError(question.only);
      return shape.box(place, members);
  }
}

/** The error for an answer that cannot be used. The sentence is for the client; the request is not charged. */
export function unusableAnswerError(place: JsonPlace, expected: string): GatewayError {
  const path = placePath(place);
  const where = path === "" ? "it" : `'${path}'`;
  const what = place.value === undefined ? "missing" : describe(place.value);
  const message = `The model service's answer cannot be used: ${where} is ${what}; expected: ${expected}.`;
  return new GatewayError("upstream_invalid_response", message);
}

/** The body of an answer, which must be one JSON object in UTF-8. */
function openAnswer(body: WholeBody): { readonly place: JsonPlace; readonly members: PlaceMembers } {
  const place = parseAnswer(body);
  if (place === null) {
    throw new GatewayError("upstream_invalid_response", "The model service's answer cannot be used: it is not JSON.");
  }
  return { place, members: answerMembers(place) };
}

function parseAnswer(body: WholeBody): JsonPlace | null {
  try {
    const text = typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { text, value: parseJson(text), steps: [] };
  } catch {
    return null;
  }
}

/** The members of an object in an answer; a repeated key makes the answer unusable. */
export function answerMembers(object: JsonPlace): PlaceMembers {
  if (!isObject(object.value)) throw unusableAnswerError(object, "an object");
  return membersOf(object, (repeated) => unusableAnswerError(repeated, "each key once"));
}

/** A refusal of one question, with its reason if it gives one. */
function readRefusal(members: PlaceMembers): RefusalAnswer {
  const reason = members.get("reason")?.value;
  return { type: "refusal", reason: typeof reason === "string" ? reason : null };
}

/** A probability. Throws for anything but a number from 0 to 1. */
export function readProbability(place: JsonPlace): number {
  const probability = readNumber(place, 1);
  if (probability === null) throw unusableAnswerError(place, "a probability, from 0 to 1");
  return probability;
}

/** A number from 0 to `most`, or null for anything else. */
function readNumber({ value }: JsonPlace, most: number): number | null {
  if (typeof value !== "number" || !(value >= -ROUNDING && value <= most + ROUNDING)) return null;
  return Math.min(Math.max(value, 0), most);
}

/** Probabilities that sum to 1. */
interface Distribution {
  readonly probabilities: readonly number[];
  /** Whether the vendor's own numbers had another sum, so that these are not quite what its score was computed from. */
  readonly is_normalised: boolean;
}

/**
 * Probabilities that sum to 1, read from `places` in the order of the question's options; `all` is the value that holds
 * them.
 */
function readDistribution(places: readonly JsonPlace[], all: JsonPlace): Distribution {
  const probabilities = places.map(readProbability);
  const sum = probabilities.reduce((total, probability) => total + probability, 0);
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE + SUM_NOISE)) {
    const found = Number(sum.toPrecision(6));
    const message = `The model service's answer cannot be used: '${placePath(all)}' sum to ${found}; expected: 1.`;
    throw new GatewayError("upstream_invalid_response", message);
  }
  if (Math.abs(sum - 1) <= SUM_NOISE) return { probabilities, is_normalised: false };
  return { probabilities: probabilities.map((probability) => probability / sum), is_normalised: true };
}

/**
 * The answer to a choice. The vendor's own choice is kept, even where another option is likelier (docs/rulings.md 38);
 * `indexOf` finds the option that the vendor names.
 */
function choiceAnswer(
  answer: JsonPlace,
  members: PlaceMembers,
  { probabilities }: Distribution,
  indexOf: (value: unknown) => number | undefined,
): ChoiceAnswer {
  const said = memberOf(answer, members, "choice");
  const choice = said.value === undefined ? modeOf(probabilities) : indexOf(said.value);
  if (choice === undefined) throw unusableAnswerError(said, "one of the options");
  const confidence = readConfidence(members) ?? choiceConfidence(probabilities);
  return { type: "choice", choice, confidence, probabilities };
}

/**
 * The answer to a score, with the vendor's own score where it gives one. Where the probabilities were normalised, the
 * score is computed from them, as the two would contradict each other otherwise (docs/rulings.md 38).
 */
function scoreAnswer(answer: JsonPlace, members: PlaceMembers, distribution: Distribution): ScoreAnswer {
  const { probabilities, is_normalised } = distribution;
  const said = memberOf(answer, members, "score");
  const highest = probabilities.length - 1;
  const given = said.value === undefined ? undefined : readNumber(said, highest);
  if (given === null) throw unusableAnswerError(said, `a score from 0 to ${highest}`);
  const score = given === undefined || is_normalised ? expectedLevel(probabilities) : given;
  return { type: "score", score, confidence: readConfidence(members) ?? scoreConfidence(probabilities), probabilities };
}

/** The vendor's own confidence; null where it is missing or not a number from 0 to 1 (docs/rulings.md 31). */
function readConfidence(members: PlaceMembers): number | null {
  const said = members.get("confidence");
  return said === undefined ? null : readNumber(said, 1);
}

/** Throws unless an answer has the type of its question. */
function checkAnswerType(answer: JsonPlace, members: PlaceMembers, type: string): void {
  const said = memberOf(answer, members, "type");
  if (said.value !== type) throw unusableAnswerError(said, `${JSON.stringify(type)} or "refusal"`);
}

/** A vendor's usage of a decision, as far as it can be believed. */
interface DecisionUsage {
  /** Null where the vendor sent none, or none that can be believed. */
  readonly usage: Usage | null;
  /** The usage that cannot be believed, for the log; null otherwise. */
  readonly rejected_usage: unknown;
}

/**
 * A vendor's usage in disjoint classes, in either shape of decisions (docs/rulings.md 13, 44, 98): `input_tokens` has the
 * tokens that were read from and written to a cache. Counts that nothing prices are named (docs/rulings.md 144). A decision
 * costs its input alone, so what a vendor says of its output is not read.
 */
export function readDecisionUsage(told: unknown): DecisionUsage {
  const usage = isObject(told) ? readCounts(told) : null;
  return { usage, rejected_usage: usage === null && isObject(told) ? told : null };
}

function readCounts(raw: JsonRecord): Usage | null {
  // No request has 0 input tokens.
  if (raw.input_tokens === 0) return null;
  const input_details = detailsOf(raw.input_tokens_details);
  const cache_write = input_details.cache_write_tokens ?? 0;
  const writes = toldWrites(writeDetails(raw, input_details), cache_write, "cache_write_tokens");
  const cache_read = input_details.cached_tokens ?? 0;
  const counts = { input: raw.input_tokens, cache_read, cache_write, output: 0, reasoning: 0, total: null };
  // Parts of the output would exceed a class that is empty, and cost nothing.
  const output_details = withoutMedia(detailsOf(raw.output_tokens_details));
  return styleAUsage(counts, { raw, known: KNOWN, input_details, output_details, writes });
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"],
  ...["server_tool_use", "server_side_tool_usage_details"],
]);

function detailsOf(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
}

function withoutMedia(details: JsonRecord): JsonRecord {
  const { audio_tokens: _audio, image_tokens: _image, video_tokens: _video, ...rest } = details;
  return rest;
}
