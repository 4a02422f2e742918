import type { ClientRequest } from "../../core/answer/exchange.ts";
import { type Model, type ModelKind, makesImages } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { GatewayError } from "../../core/errors.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { PipelineDeps } from "../call/deps.ts";
import { modelNotFound } from "./model-not-found.ts";

/** A request with the model that its name stands for, to a key. */
export interface AskedModel<Asked extends ClientRequest> {
  readonly key: KeyRecord;
  readonly model: Model;
  readonly request: Asked;
}

/** The model that a name stands for to a key. Throws the 404 where it stands for none that the key may use. */
export function findModel(deps: PipelineDeps, key: KeyRecord, name: string): Model {
  const model = deps.resolveModel(key, name);
  if (model === null) throw modelNotFound(deps.configuration, key, name);
  return model;
}

/** What a model of each kind is called, and the endpoints that take it. */
const KINDS: Readonly<Record<ModelKind, { readonly name: string; readonly paths: string }>> = {
  chat: { name: "a chat model", paths: "/v1/chat/completions, /v1/responses, /v1/messages or generateContent" },
  embedding: { name: "an embedding model", paths: "/v1/embeddings" },
  speech: { name: "a speech model", paths: "/v1/audio/speech" },
  image: { name: "an image model", paths: "/v1/images/generations or /v1/images/edits" },
  rerank: { name: "a reranking model", paths: "/v1/rerank or /v2/rerank" },
  transcription: { name: "a transcription model", paths: "/v1/audio/transcriptions or /v1/audio/translations" },
  moderation: { name: "a moderation model", paths: "/v1/moderations" },
  decision: { name: "a decision model", paths: "/v1/decisions or /v1/systemone" },
};

/** Throws the 400 for a model of another kind than the endpoint's (docs/rulings.md 210). */
export function requireKind(model: Model, asked: ModelKind): void {
  const { id, kind } = model;
  if (kind === asked || (asked === "image" && makesImages(model))) return;
  const { name, paths } = KINDS[kind];
  throw new GatewayError("model_not_supported_on_endpoint", `The model ${id} is ${name}: use ${paths}.`, {
    param: "model",
  });
}

/** Throws the 400 for a chat model that does not go on from a text where that is asked for (docs/rulings.md 215). */
export function requireCompletions({ id, completions }: Model, asked: Protocol): void {
  if (asked !== "completions" || completions === true) return;
  const message = `The model ${id} takes messages and goes on from no text: use ${KINDS.chat.paths}.`;
  throw new GatewayError("model_not_supported_on_endpoint", message, { param: "model" });
}
