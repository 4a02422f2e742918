import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/decision.ts";
import { type JsonPlace, wrongValue } from "../shared/json-place.ts";
import {
  DECISION_BOUNDS,
  decisionClientRequest,
  fieldOf,
  openDecisionBody,
  optionalString,
  readModel,
} from "../shared/decision-request.ts";
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

/** Throws the 400 of docs/api.md 7.4 that fits, or `invalid_json`; a fault without its own code is `invalid_input`. */
function readRequest(text: string): DecisionClientRequest {
  const body = openDecisionBody(text, FIELDS, "/v1/decisions");
  return decisionClientRequest("decisions", body, {
    model: readModel(fieldOf(body, "model")),
    input: readInput(fieldOf(body, "input")),
    questions: readQuestions(fieldOf(body, "questions")),
    safety_identifier: readSafetyIdentifier(fieldOf(body, "safety_identifier")),
  });
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
