import type { JsonObject } from "../../../core/json.ts";
import { ModelList, ModelObject } from "../schemas/models.ts";
import { MODEL_CODES, MODEL_LIST_CODES } from "./codes.ts";
import type { OperationRow, SampleSettings } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { getSnippets } from "./snippets.ts";

const YES = { supported: true };
const NO = { supported: false };

function modelExample(id: string): JsonObject {
  return {
    id,
    object: "model",
    type: "model",
    display_name: "Swift 1",
    created: 1788220800,
    created_at: "2026-09-01T00:00:00Z",
    owned_by: "acme",
    context_length: 200000,
    max_completion_tokens: 32000,
    max_input_tokens: 200000,
    max_tokens: 32000,
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
    capabilities: {
      streaming: true,
      tools: true,
      json: true,
      vision: true,
      thinking: true,
      reasoning: { toggle: true, effort: ["low", "medium", "high"], budget_tokens: { min: 1024, max: 32000 } },
      batch: NO,
      citations: NO,
      code_execution: NO,
      context_management: { ...NO, clear_thinking_20251015: NO, clear_tool_uses_20250919: NO, compact_20260112: NO },
      effort: { ...YES, low: YES, medium: YES, high: YES, xhigh: NO, max: NO },
      image_input: YES,
      pdf_input: NO,
      server_tools: { ...NO, web_search: NO, code_execution: NO },
      structured_outputs: YES,
    },
  };
}

/** The operations of the catalogue's endpoints (docs/api.md 4.4, 4.5). */
export function catalogueOperations(settings: SampleSettings): OperationRow[] {
  const model = modelExample("acme/swift-1");
  const alias = { ...modelExample("fast"), root: "acme/swift-1" };
  return [
    {
      route: "models.list",
      operation_id: "listModels",
      tag: "Models",
      summary: "List models",
      description:
        "The aliases of the key first, then the whole catalogue, on one page. Parameters for paging are accepted and " +
        "change nothing.",
      credential: "either",
      parameters: [parameter("ModelKind")],
      answer: {
        description: "The catalogue.",
        headers: ["RateLimit"],
        contents: [
          {
            type: "application/json",
            schema: ModelList,
            example: {
              object: "list",
              data: [alias, model],
              has_more: false,
              first_id: "fast",
              last_id: "acme/swift-1",
            },
          },
        ],
      },
      errors: MODEL_LIST_CODES,
      samples: getSnippets(settings, "/v1/models"),
    },
    {
      route: "models.retrieve",
      operation_id: "retrieveModel",
      tag: "Models",
      summary: "Retrieve a model",
      description: "One model by its id or by an alias of the key, whose answer names its `root`.",
      credential: "either",
      parameters: [parameter("ModelId")],
      answer: {
        description: "The model.",
        headers: ["RateLimit"],
        contents: [{ type: "application/json", schema: ModelObject, example: { ...model, kind: "chat" } }],
      },
      errors: MODEL_CODES,
      samples: getSnippets(settings, `/v1/models/${encodeURIComponent(settings.model_a)}`),
    },
  ];
}
