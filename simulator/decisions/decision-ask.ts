import { type Ask, type AskedImage, BadRequest } from "../ask.ts";
import { nextSerial } from "../ids.ts";
import type { ModelName } from "../model-name.ts";
import { findSimulatedModel } from "../models.ts";
import type { Json } from "../protocols/read.ts";
import type { AskedDecision } from "./decision.ts";

/** A decision request as an `Ask`: its input tokens are the state's and every question's, each counted once. */
export function decisionAsk(model: ModelName, body: Json, decision: AskedDecision, images: readonly AskedImage[]): Ask {
  if (findSimulatedModel(model.name)?.kind !== "decision") {
    throw new BadRequest(`The model '${model.full}' does not support decisions.`, "model");
  }
  return {
    serial: nextSerial(),
    model,
    stream: false,
    include_usage: false,
    prompt: [decision.state, ...decision.questions.flatMap(questionTexts)],
    last_user_text: decision.state,
    images,
    tools: [],
    tool_choice: "none",
    parallel_tool_calls: null,
    tool_results: [],
    output_cap: null,
    stop: [],
    format: { type: "text" },
    reasoning: { wanted: false, effort: null, encrypted: false },
    choices: 1,
    body,
    decision,
  };
}

function questionTexts({ instructions, options }: AskedDecision["questions"][number]): string[] {
  return [instructions, ...options.flatMap(({ label, description }) => [label, description ?? ""])];
}
