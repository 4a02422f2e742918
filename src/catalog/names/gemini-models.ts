import type { Configuration } from "../../core/catalog/catalog.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { listModels, type ModelObject, type ModelReader, modelObject } from "./model-objects.ts";

/** A model as Gemini's API shows it (docs/api.md 4.14). */
export interface GeminiModel {
  /** `models/` and the id. */
  readonly name: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  readonly inputTokenLimit?: number;
  readonly outputTokenLimit?: number;
  readonly supportedGenerationMethods: readonly string[];
  readonly thinking: boolean;
}

/** One model by id or alias; null when the key may use no model of that name. */
export function geminiModel(
  configuration: Configuration,
  key: KeyRecord,
  name: string,
  reader: ModelReader,
): GeminiModel | null {
  const object = modelObject(configuration, key, name, reader);
  return object === null ? null : shownAs(object);
}

const USUAL_PAGE = 50;
const LARGEST_PAGE = 1000;

/** A page of the models that generate (`pageSize`, `pageToken`). Throws `invalid_request` for a page size or token that is not a number. */
export function listGeminiModels(
  configuration: Configuration,
  key: KeyRecord,
  query: URLSearchParams,
  reader: ModelReader,
): object {
  const size = Math.min(count(query, "pageSize") || USUAL_PAGE, LARGEST_PAGE);
  const start = count(query, "pageToken");
  const { data } = JSON.parse(listModels(configuration, key, null, reader)) as { data: readonly ModelObject[] };
  const end = start + size;
  const models = data.slice(start, end).map(shownAs);
  return { models, ...(end < data.length && { nextPageToken: String(end) }) };
}

function count(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  if (/^\d{0,9}$/.test(text)) return Number(text);
  const message = `'${name}' is ${JSON.stringify(text.slice(0, 40))}; allowed: a whole number, or the page token of a list.`;
  throw invalidRequest(message, name);
}

function shownAs(object: ModelObject): GeminiModel {
  const { id, created_at, display_name, context_length, max_completion_tokens, capabilities, owned_by } = object;
  return {
    name: `models/${id}`,
    version: created_at.slice(0, 10),
    displayName: display_name,
    description: `${display_name} by ${owned_by}`,
    ...(context_length !== undefined && { inputTokenLimit: context_length }),
    ...(max_completion_tokens !== undefined && { outputTokenLimit: max_completion_tokens }),
    supportedGenerationMethods: (object.kind ?? "chat") === "chat" ? METHODS : [],
    thinking: capabilities.thinking === true,
  };
}

const METHODS = ["generateContent", "streamGenerateContent", "countTokens"];
