import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import { refuseStream, untranslated } from "../shared/plain-relay.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { TRANSLATED, textsOnly } from "./relay.ts";
import type { EmbeddingRequest } from "./wire-request.ts";
import { type AnswerShape, askedOf, readEmbeddings } from "./write-answer.ts";

/** Embeddings by Gemini's `batchEmbedContents`, of the Gemini API and of Vertex AI. */
export const embeddingsToGemini: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, { model, upstream_model }: Target): Exchange {
  const body = request.body as EmbeddingRequest;
  const texts = textsOnly(body, model.id);
  const more = body.dimensions == null ? {} : { outputDimensionality: body.dimensions };
  const requests = texts.map((text) => ({
    model: `models/${upstream_model}`,
    content: { parts: [{ text }] },
    ...more,
  }));
  const asked = askedOf(body, model.id, texts.length);
  return {
    path: `/models/${upstream_model}:batchEmbedContents`,
    body: JSON.stringify({ requests }),
    headers: {},
    ignored: untranslated(body, new Set(TRANSLATED)),
    is_light: true,
    readWhole: (answer) => readEmbeddings(answer, SHAPE, asked),
    openStream: refuseStream,
    readError: readVendorError,
  };
}

const SHAPE: AnswerShape = {
  member: "values",
  order: ({ embeddings }) =>
    Array.isArray(embeddings) ? embeddings.map((each: unknown) => (isObject(each) ? each.values : undefined)) : null,
  told: ({ usageMetadata }) => (isObject(usageMetadata) ? usageMetadata.promptTokenCount : undefined),
};
