import type { DecisionSurface } from "../../core/catalog.ts";
import type { DecisionClientProtocol, DecisionClientRequest } from "../../core/decision.ts";
import { decisionClientRequest, fieldOf, openDecisionBody, readModel } from "../shared/decision-request.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { hasAssets } from "./read-assets.ts";
import { readQuestions } from "./read-questions.ts";
import { readState } from "./read-state.ts";

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
