import type { JsonObject } from "../../core/json.ts";
import type { RouteRow } from "../paths/routes.ts";
import { errorResponses } from "./error-responses.ts";
import type { AnswerContent, OperationRow } from "./operations/operation.ts";
import type { Components } from "./schemas/components.ts";

const BEARER: JsonObject = { bearer: [] };
const API_KEY: JsonObject = { apiKey: [] };
const GOOGLE_KEY: JsonObject = { googleKey: [] };
const SECURITY: Readonly<Record<OperationRow["credential"], readonly JsonObject[]>> = {
  bearer: [BEARER],
  either: [BEARER, API_KEY],
  google: [BEARER, GOOGLE_KEY],
  any: [BEARER, API_KEY, GOOGLE_KEY],
  none: [],
};

/** The wire names of the answers' headers. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  CaminoRequestId: "x-camino-request-id",
  CaminoIgnored: "x-camino-ignored",
  CaminoCapped: "x-camino-capped",
  CaminoCache: "x-camino-cache",
  LabelMass: "x-camino-label-mass",
  IdempotentReplayed: "idempotent-replayed",
  RateLimit: "x-ratelimit-limit-requests",
};

export function writeOperation(row: OperationRow, route: RouteRow, components: Components): JsonObject {
  const { request, parameters = [] } = row;
  return {
    operationId: row.operation_id,
    tags: [row.tag],
    summary: row.summary,
    description: row.description,
    security: [...SECURITY[row.credential]],
    ...(parameters.length > 0 ? { parameters: [...parameters] } : {}),
    ...(request ? { requestBody: requestBody(request, components) } : {}),
    responses: { "200": answer(row, components), ...errorResponses(row.errors, route.error_style, components) },
    "x-codeSamples": row.samples.map((sample) => ({ ...sample })),
  };
}

function requestBody(
  { schema, examples, is_form }: NonNullable<OperationRow["request"]>,
  components: Components,
): JsonObject {
  const type = is_form === true ? "multipart/form-data" : "application/json";
  const written = Object.entries(examples).map(([name, { summary, value }]) => [name, { summary, value }]);
  return {
    required: true,
    content: { [type]: { schema: components.place(schema), examples: Object.fromEntries(written) } },
  };
}

function answer({ answer: description, headers = [], contents }: OperationRow, components: Components): JsonObject {
  const shown = headers.map((name) => [HEADER_NAMES[name] ?? name, { $ref: `#/components/headers/${name}` }]);
  return {
    description,
    headers: { "x-request-id": { $ref: "#/components/headers/RequestId" }, ...Object.fromEntries(shown) },
    content: Object.fromEntries(contents.map((content) => [content.type, mediaType(content, components)])),
  };
}

/** The schema of a stream says only that it is text: an extension has the schema of each event's data. */
function mediaType({ schema, example, event }: AnswerContent, components: Components): JsonObject {
  return {
    schema: components.place(schema),
    ...(example === undefined ? {} : { example }),
    ...(event === undefined ? {} : { "x-camino-event": components.place(event) }),
  };
}
