import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { plainBody, plainExchange } from "../shared/plain-relay.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { relayPieces } from "./relay-pieces.ts";
import { type EmbeddingRequest, inputsOf } from "./wire-request.ts";
import { type AnswerShape, askedOf, readEmbeddings } from "./write-answer.ts";

/** Embeddings by a vendor of chat completions, at its `/embeddings`: the client's own body, but for what must change. */
export const relayEmbeddings: ProtocolAdapter = { prepare };

const KEPT = new Set(["model", "input"]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as EmbeddingRequest;
  const { id } = target.model;
  const asked = askedOf(body, id, inputsOf(body).length);
  const sent = plainBody(request, target, KEPT, (field) => {
    if (field === "dimensions") throw noDimensions(id);
    // The gateway writes the vectors in the form that was asked for, whichever its vendor sends.
    return field === "encoding_format" ? "quietly" : "named";
  });
  return Object.assign(plainExchange("/embeddings", sent), {
    is_light: true as const,
    readWhole: (answer: Parameters<Exchange["readWhole"]>[0]) => readEmbeddings(answer, SHAPE, asked),
    readPieces: (pieces: readonly Buffer[]) => relayPieces(pieces, SHAPE, asked),
    readError: readRelayedError,
  });
}

/** Vectors of another length than was asked for are of no use to whoever asked. */
export function noDimensions(model: string): GatewayError {
  const message = `'dimensions' is given; the model ${model} takes none there. Leave it out.`;
  return new GatewayError("invalid_input", message, { param: "dimensions" });
}

const SHAPE: AnswerShape = {
  member: "embedding",
  order: ({ data }) => (Array.isArray(data) ? inOrder(data) : null),
  told: ({ usage }) => (isObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined),
};

/** The vectors by the index that the vendor gives each: some send them as they are ready. Without indices they are in the inputs' order. */
function inOrder(data: readonly unknown[]): readonly unknown[] {
  const items = data.filter((item): item is JsonRecord => isObject(item));
  if (items.length !== data.length) return [];
  const has_indices = items.every(({ index }) => Number.isInteger(index));
  if (!has_indices) return items.map(({ embedding }) => embedding);
  const by_index = new Map(items.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: data.length }, (_, index) => by_index.get(index));
}
