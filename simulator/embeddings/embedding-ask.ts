import { type Ask, BadRequest } from "../ask.ts";
import type { ModelName } from "../model-name.ts";
import { findSimulatedModel } from "../models.ts";
import { plainAsk } from "../plain-ask.ts";
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
  return plainAsk(model, body, { embedding });
}
