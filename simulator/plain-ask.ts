import { type Ask, type AskedImage, BadRequest } from "./ask.ts";
import type { AskedDecision } from "./decisions/decision.ts";
import { type AskedEmbedding, MOST_DIMENSIONS } from "./embeddings/embedding.ts";
import { nextSerial } from "./ids.ts";
import type { ModelName } from "./model-name.ts";
import { findSimulatedModel } from "./models.ts";
import type { Json } from "./protocols/read.ts";

/** A request that is no conversation, as an `Ask`. */
export function plainAsk(model: ModelName, body: Json, more: Partial<Ask>): Ask {
  return {
    serial: nextSerial(),
    model,
    stream: false,
    include_usage: false,
    prompt: [],
    last_user_text: "",
    images: [],
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
    ...more,
  };
}

/** A request for embeddings as an `Ask`. */
export function embeddingAsk(model: ModelName, body: Json, embedding: AskedEmbedding): Ask {
  if (findSimulatedModel(model.name)?.kind !== "embedding")
    throw new BadRequest("You are not allowed to generate embeddings from this model", null, { status: 403 });
  const { dimensions } = embedding;
  if (dimensions > MOST_DIMENSIONS)
    throw new BadRequest(
      `Invalid value for 'dimensions' = ${dimensions}. Must be less than or equal to ${MOST_DIMENSIONS}.`,
      "dimensions",
    );
  return plainAsk(model, body, { embedding });
}

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
