import { type Ask, BadRequest } from "../ask.ts";
import { nextSerial } from "../ids.ts";
import type { ModelName } from "../model-name.ts";
import { findSimulatedModel } from "../models.ts";
import type { Json } from "../protocols/read.ts";
import { type AskedEmbedding, MOST_DIMENSIONS } from "./embedding.ts";

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
    embedding,
  };
}
