import { SIMULATED_CREATED } from "./ids.ts";
import { findSimulatedModel, SIMULATED_MODELS } from "./models.ts";
import type { SimulatedModel } from "./simulated-model.ts";

/** Headers and query of a call for the list, by which a vendor's own clients show which list they expect. */
interface ListCall {
  readonly headers: Headers;
  readonly query: URLSearchParams;
}

/**
 * `GET /v1/models`: Gemini's list for Gemini's clients, Anthropic's pages for clients that state a version, and to all others
 * the whole list in the union of OpenAI's and Anthropic's public shapes.
 */
export function modelList({ headers, query }: ListCall): object {
  if (headers.has("x-goog-api-key") || query.has("pageSize")) return geminiList(query);
  const is_paged = headers.has("anthropic-version") && query.has("limit");
  return is_paged ? pageOf(query) : listOf(SIMULATED_MODELS, false);
}

function listOf(models: readonly SimulatedModel[], has_more: boolean): object {
  const data = models.map(wireModel);
  return { object: "list", data, has_more, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
}

/** Anthropic's page: `limit` models (at most 50 here, so that clients have to page) after the model `after_id`. */
function pageOf(query: URLSearchParams): object {
  const after = query.get("after_id");
  const start = after === null ? 0 : SIMULATED_MODELS.findIndex(({ id }) => id === after) + 1;
  const end = start + Math.min(Number(query.get("limit")) || PAGE, PAGE);
  return listOf(SIMULATED_MODELS.slice(start, end), end < SIMULATED_MODELS.length);
}

const PAGE = 50;

const METHODS: Readonly<Record<SimulatedModel["kind"], readonly string[]>> = {
  chat: ["generateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
  speech: ["generateContent"],
  image: ["generateContent"],
  rerank: ["predict"],
  transcription: ["transcribe"],
  moderation: ["predict"],
  decision: ["predict"],
};

/** Gemini's page; the token of the next page is the number of models before it. */
function geminiList(query: URLSearchParams): object {
  const start = Number(query.get("pageToken") ?? "0") || 0;
  const end = start + Math.min(Number(query.get("pageSize")) || PAGE, PAGE);
  const models = SIMULATED_MODELS.slice(start, end).map((model) => ({
    name: `models/${model.id}`,
    displayName: model.display_name,
    description: model.behaviour,
    inputTokenLimit: model.context_length,
    outputTokenLimit: model.max_completion_tokens,
    supportedGenerationMethods: METHODS[model.kind],
    thinking: model.capabilities.thinking,
  }));
  return { models, ...(end < SIMULATED_MODELS.length && { nextPageToken: String(end) }) };
}

/** `GET /v1/models/{id}`; undefined for an unknown model. */
export function modelDetail(id: string): object | undefined {
  const model = findSimulatedModel(id);
  return model === undefined ? undefined : wireModel(model);
}

function wireModel(model: SimulatedModel): object {
  return {
    id: model.id,
    object: "model",
    type: "model",
    created: SIMULATED_CREATED,
    created_at: new Date(SIMULATED_CREATED * 1000).toISOString(),
    owned_by: "simulator",
    display_name: model.display_name,
    description: model.behaviour,
  };
}
