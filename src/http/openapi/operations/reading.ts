import Type from "typebox";
import { ResponseObject } from "../../../protocols/responses/wire-answer.ts";
import type { RouteName } from "../../paths/routes.ts";
import account from "../examples/account.json" with { type: "json" };
import model from "../examples/model.json" with { type: "json" };
import responses from "../examples/responses.json" with { type: "json" };
import stored from "../examples/stored-responses.json" with { type: "json" };
import {
  CreditsObject,
  GenerationObject,
  KeyObject,
  RefusedRequestObject,
  RequestObject,
  UsageObject,
} from "../schemas/account.ts";
import { GeminiModelList, GeminiModelObject, ModelList, ModelObject } from "../schemas/models.ts";
import { ACCOUNT_CODES, MODEL_CODES, MODEL_LIST_CODES, REQUEST_CODES, STORED_RESPONSE_CODES } from "./codes.ts";
import { type AnswerContent, jsonContent, type OperationRow, RATED } from "./operation.ts";
import { parameters } from "./parameters.ts";
import { pathSnippets } from "./snippets.ts";

/** What operations have in common that cost nothing: their answers say the key's rate alone. */
const READING = { credential: "any", headers: RATED } as const;
const STORED = { ...READING, tag: "Generation", credential: "bearer", errors: STORED_RESPONSE_CODES } as const;
const RESPONSE = "/v1/responses/$RESPONSE_ID";

const DeletedResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal("response"),
  deleted: Type.Literal(true),
});

const nullable = Type.Union([Type.String(), Type.Null()]);

/** Ids are null where the page has no items. */
const InputItemList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Object({ id: Type.String() })),
  first_id: nullable,
  last_id: nullable,
  has_more: Type.Boolean(),
});

/** The operations on stored responses (docs/api.md 4.11). */
export const STORED_RESPONSE_OPERATIONS: readonly OperationRow[] = [
  {
    ...STORED,
    route: "responses.retrieve",
    operation_id: "retrieveResponse",
    summary: "Retrieve a response",
    description: "A stored response as it was delivered. Responses are kept for an hour after they were last used.",
    parameters: parameters("ResponseId", "Include"),
    answer: "The response.",
    contents: [jsonContent(ResponseObject, responses.answer)],
    samples: pathSnippets("get", RESPONSE),
  },
  {
    ...STORED,
    route: "responses.delete",
    operation_id: "deleteResponse",
    summary: "Delete a response",
    description: "Deletes a stored response. Responses that go on from it can no longer be gone on from.",
    parameters: parameters("ResponseId"),
    answer: "It is gone.",
    contents: [jsonContent(DeletedResponse, stored.deleted)],
    samples: pathSnippets("delete", RESPONSE),
  },
  {
    ...STORED,
    route: "responses.input_items",
    operation_id: "listInputItems",
    summary: "List a response's input items",
    description:
      "The items that a stored response was given: those of the responses before it, and its own. An item that was sent " +
      "without an id has one here, by which an `item_reference` finds it.",
    parameters: parameters("ResponseId", "ItemLimit", "ItemOrder", "ItemAfter", "Include"),
    answer: "A page of the items.",
    contents: [jsonContent(InputItemList, stored.items)],
    samples: pathSnippets("get", `${RESPONSE}/input_items`),
  },
];

const LISTED = { data: [{ ...model, id: "fast", root: "acme/swift-1" }, model], has_more: false };

/** The operations of the catalogue's endpoints (docs/api.md 4.4, 4.5). */
export const CATALOGUE_OPERATIONS: readonly OperationRow[] = [
  {
    ...READING,
    tag: "Models",
    route: "models.list",
    operation_id: "listModels",
    summary: "List models",
    description:
      "The aliases of the key first, then the whole catalog, on one page. Parameters for paging are accepted and " +
      "change nothing.",
    parameters: parameters("ModelKind"),
    answer: "The catalog; in Gemini's shape for a key in `x-goog-api-key`.",
    contents: [
      jsonContent(Type.Union([ModelList, GeminiModelList]), {
        object: "list",
        ...LISTED,
        first_id: "fast",
        last_id: "acme/swift-1",
      }),
    ],
    errors: MODEL_LIST_CODES,
    samples: pathSnippets("get", "/v1/models"),
  },
  {
    ...READING,
    tag: "Models",
    route: "models.retrieve",
    operation_id: "retrieveModel",
    summary: "Retrieve a model",
    description: "One model by its id or by an alias of the key, whose answer names its `root`.",
    parameters: parameters("ModelId"),
    answer: "The model; in Gemini's shape for a key in `x-goog-api-key`.",
    contents: [jsonContent(Type.Union([ModelObject, GeminiModelObject]), { ...model, kind: "chat" })],
    errors: MODEL_CODES,
    samples: pathSnippets("get", "/v1/models/{{model_a_encoded}}"),
  },
];

/** The operations of the account's endpoints (docs/api.md 4.8, 4.10). */
export const ACCOUNT_OPERATIONS: readonly OperationRow[] = [
  {
    ...READING,
    tag: "Account",
    route: "usage",
    operation_id: "getUsage",
    summary: "Usage",
    description:
      "Spend and tokens of the current UTC day, ISO week and calendar month. May lag behind by up to a minute.",
    answer: "The three windows.",
    contents: [jsonContent(UsageObject, account.usage)],
    errors: ACCOUNT_CODES,
    samples: pathSnippets("get", "/v1/usage"),
  },
  {
    ...READING,
    tag: "Account",
    route: "credits",
    operation_id: "getCredits",
    summary: "Credits",
    description: "What the wallet can still spend, and what running requests hold. Read live.",
    answer: "The wallet.",
    contents: [jsonContent(CreditsObject, account.credits)],
    errors: ACCOUNT_CODES,
    samples: pathSnippets("get", "/v1/credits"),
  },
  {
    ...READING,
    tag: "Account",
    route: "key",
    operation_id: "getKey",
    summary: "Key",
    description:
      "What the caller's own key has used, and what it may use, in the shape of OpenRouter's. Amounts are in units of the currency.",
    answer: "The key.",
    contents: [jsonContent(KeyObject, account.key)],
    errors: ACCOUNT_CODES,
    samples: pathSnippets("get", "/v1/key"),
  },
  {
    ...READING,
    tag: "Account",
    route: "generation",
    operation_id: "getGeneration",
    summary: "Generation",
    description:
      "What became of one request, by the answer's own id or by ours, in the shape of OpenRouter's. A request that still runs is a 404.",
    parameters: parameters("GenerationId"),
    answer: "The generation.",
    contents: [jsonContent(GenerationObject, account.generation)],
    errors: REQUEST_CODES,
    samples: pathSnippets("get", "/v1/generation?id=$REQUEST_ID"),
  },
  {
    ...READING,
    tag: "Account",
    route: "requests.retrieve",
    operation_id: "retrieveRequest",
    summary: "Retrieve a receipt",
    description:
      "What one billed request used and cost, and how it went; or why one was refused, of which the account's newest thousand are kept. " +
      "By the client's own `x-request-id` it is the newest request of that name.",
    parameters: parameters("RequestId"),
    answer: "The receipt, or the refusal.",
    contents: [jsonContent(Type.Union([RequestObject, RefusedRequestObject]), account.request)],
    errors: REQUEST_CODES,
    samples: pathSnippets("get", "/v1/requests/$REQUEST_ID"),
  },
];

const STATUS = jsonContent({ type: "object" });
const text = (type: string): AnswerContent => ({ type, schema: { type: "string" } });

/** Route, operation id, path, summary, description and what is answered. */
const SERVICE: readonly (readonly [RouteName, string, string, string, string, AnswerContent])[] = [
  [
    ...(["healthz", "getHealth", "/healthz", "Is the process up?"] as const),
    "Answers as long as the process runs. Checks nothing.",
    STATUS,
  ],
  [
    ...(["readyz", "getReadiness", "/readyz", "May traffic come?"] as const),
    "200 while the database answers and the process is not draining, else 503.",
    STATUS,
  ],
  [
    ...(["metrics", "getMetrics", "/metrics", "Metrics"] as const),
    "Counters, gauges and histograms in Prometheus' text format.",
    text("text/plain"),
  ],
  ["openapi", "getOpenApi", "/openapi.json", "This document", "The public API in OpenAPI 3.1.", STATUS],
  ["docs", "getReference", "/docs", "This document, readable", "A page for people.", text("text/html")],
];

/** The operations for those who run the gateway. */
export const SERVICE_OPERATIONS: readonly OperationRow[] = SERVICE.map(
  ([route, operation_id, path, summary, description, content]) => ({
    ...{ route, operation_id, tag: "Service", summary, description, credential: "none" },
    ...{ answer: summary, contents: [content], errors: [], samples: pathSnippets("service", path) },
  }),
);
