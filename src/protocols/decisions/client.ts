import type { DecisionSurface } from "../../core/catalog.ts";
import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/decision.ts";
import { isObject } from "../../core/json.ts";
import {
  DECISION_BOUNDS,
  type DecisionBody,
  decisionClientRequest,
  fieldOf,
  openDecisionBody,
  optionalString,
  readModel,
  refuseUnknown,
} from "../shared/decision-request.ts";
import { type JsonPlace, memberOf, membersOf, wrongValue } from "../shared/json-place.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { readInput } from "./read-input.ts";
import { readQuestions } from "./read-questions.ts";

/** The client protocol of `/v1/decisions` (docs/api.md 2.7, 4.6, 7.4). */
export const decisionsClient: DecisionClientProtocol = {
  protocol: "decisions",
  endpoint: "decisions",
  error_style: "a",
  readRequest,
  encodeAnswer,
};

const FIELDS = ["model", "input", "questions", "safety_identifier"];
/** What the surface of vendors has besides (docs/rulings.md 174). */
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

/** The cache's settings, checked and as they were written; a null is as if it were absent. */
function readWishes(body: DecisionBody): ReadonlyMap<string, string> {
  const wishes = new Map<string, string>();
  const key = fieldOf(body, "prompt_cache_key");
  if (optionalString(key) !== null) wishes.set("prompt_cache_key", key.text);
  const options = fieldOf(body, "prompt_cache_options");
  if (options.value === undefined || options.value === null) return wishes;
  if (!isObject(options.value)) throw wrongValue(options, "invalid_input", "an object");
  const members = membersOf(options);
  refuseUnknown(members, ["mode", "ttl"], "the options of a prompt's cache");
  readOneOf(memberOf(options, members, "mode"), ["implicit", "explicit", null]);
  readOneOf(memberOf(options, members, "ttl"), ["30m"]);
  return wishes.set("prompt_cache_options", options.text);
}

function readOneOf(place: JsonPlace, allowed: readonly unknown[]): void {
  if (place.value === undefined || allowed.includes(place.value)) return;
  throw wrongValue(place, "invalid_input", allowed.map((one) => JSON.stringify(one)).join(", "));
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
