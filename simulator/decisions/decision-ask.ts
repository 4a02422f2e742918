import { type Ask, type AskedImage, BadRequest } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import { findSimulatedModel } from "../models.ts";
import { plainAsk } from "../plain-ask.ts";
import type { Json } from "../protocols/read.ts";
import type { AskedDecision } from "./decision.ts";

/** A decision request as an `Ask`: its input tokens are the state's and every question's, each counted once. */
export function decisionAsk(model: ModelName, body: Json, decision: AskedDecision, images: readonly AskedImage[]): Ask {
  if (findSimulatedModel(model.name)?.kind !== "decision") {
    throw new BadRequest(`The model '${model.full}' does not support decisions.`, "model");
  }
  return plainAsk(model, body, {
    prompt: [decision.state, ...decision.questions.flatMap(questionTexts)],
    last_user_text: decision.state,
    images,
    decision,
  });
}

function questionTexts({ instructions, options }: AskedDecision["questions"][number]): string[] {
  return [instructions, ...options.flatMap(({ label, description }) => [label, description ?? ""])];
}
