import { ERRORS, type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { styleCError } from "../../protocols/shared/error-styles.ts";
import type { RouteRow } from "../paths/routes.ts";
import type { AnswerContent, OperationRow } from "./operations/operation.ts";
import type { Components } from "./schemas/components.ts";
import { EitherStyleError, StyleAError, StyleBError, StyleCError } from "./schemas/errors.ts";

type Style = RouteRow["error_style"];

const SCHEMAS = { a: StyleAError, b: StyleBError, c: StyleCError, "by-header": EitherStyleError } as const;

/** The error answers of an operation: an answer for each status among its codes, in the endpoint's style. */
function errorResponses(codes: readonly ErrorCode[], style: Style, components: Components): JsonObject {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const rows = codes.filter((code) => ERRORS[code].status === status);
      return [String(status), errorResponse(rows, style, components)];
    }),
  );
}

/** The answer for a status: its codes stand in the description for people, and in an extension for programs. */
function errorResponse(codes: readonly ErrorCode[], style: Style, components: Components): JsonObject {
  const first = codes[0] as ErrorCode;
  const retryable = codes.some((code) => ERRORS[code].retryable);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n"),
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...(retryable ? { "retry-after": { $ref: "#/components/headers/RetryAfter" } } : {}),
    },
    content: {
      "application/json": { schema: components.place(SCHEMAS[style]), example: errorExample(first, style) },
    },
    "x-camino-errors": codes.map((code) => ({
      code,
      type: typeIn(style, code),
      meaning: ERROR_MEANINGS[code],
      retryable: ERRORS[code].retryable,
    })),
  };
}

function typeIn(style: Style, code: ErrorCode): string {
  if (style === "c") return styleCError(new GatewayError(code, "")).error.status;
  return style === "b" ? ERRORS[code].type_b : ERRORS[code].type_a;
}

function errorExample(code: ErrorCode, style: Style): JsonObject {
  const message = ERROR_MEANINGS[code];
  if (style === "c") return JSON.parse(JSON.stringify(styleCError(new GatewayError(code, message)))) as JsonObject;
  if (style === "b")
    return { type: "error", error: { type: ERRORS[code].type_b, message }, request_id: "req_2Ld9XqzB7mYw4RkTn6VhsC" };
  return { error: { message, type: ERRORS[code].type_a, param: null, code } };
}

/** The meaning of each error for a client: an entry for every row of the table of errors. */
const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_json: "The body is not JSON, or its values nest too deep or have too many members.",
  invalid_messages: "A message is missing or has the wrong shape; `param` says which.",
  unsupported_message_role: "A message has a role that does not exist.",
  unsupported_parameter: "A parameter is missing, of the wrong type or out of range; `param` names it.",
  tool_call_id_mismatch: "A tool's result does not belong to a call of the assistant message before it.",
  invalid_responses_input: "An input item or a parameter is missing or has the wrong shape; `param` says which.",
  unsupported_responses_feature:
    "A field outside the supported surface, or one that this model's vendor cannot honour.",
  previous_response_not_found:
    "`previous_response_id` names no response that is kept for this account: send the whole input, with `store: false`.",
  item_not_found:
    "An `item_reference` names no item that is kept for this account: send the item itself, with `store: false`.",
  refused_by_policy: "The operator's own check of requests refused it; the message is the operator's.",
  unknown_parameter: "A field that the endpoint does not have.",
  invalid_question_type: "A question of no known type.",
  empty_questions: "There is no question.",
  duplicate_question_name: "Two questions have one name.",
  duplicate_choice_value: "Two choices have one value.",
  invalid_input: "The input has the wrong shape; `param` says where.",
  invalid_choice_value: "A choice has the wrong shape.",
  image_input_not_supported: "An image for a model that takes text only.",
  model_not_supported_on_endpoint:
    "The model is of another kind than the endpoint's; the message names its own endpoints.",
  invalid_request: "A message, a parameter or the version header is missing or wrong.",
  missing_tag: "A tag is required that the request does not have; `param` names it.",
  missing_api_key: "No key in a header that the endpoint takes.",
  invalid_api_key: "The key is unknown or forged, or two headers carry different keys.",
  api_key_inactive: "The key is disabled, revoked or expired.",
  user_inactive: "The account is disabled.",
  insufficient_balance: "The wallet, or a budget of the key or its account, does not cover the request.",
  model_not_found: "The model does not exist, is not enabled, or is not allowed to the key.",
  not_found: "There is nothing at this path or of this id.",
  method_not_allowed: "The path exists, the method does not; `allow` names those that do.",
  request_timeout: "The request came too slowly.",
  idempotency_key_reused: "The `Idempotency-Key` was used with another body.",
  idempotency_in_progress: "The request with this `Idempotency-Key` still runs.",
  request_too_large: "The body is larger than allowed.",
  unsupported_content_encoding:
    "The body is compressed in a way that is not read; `accept-encoding` names those that are.",
  upgrade_required: "A connection was to be upgraded to WebSocket, which is not spoken here.",
  headers_too_large: "The headers are larger than allowed.",
  rate_limit_exceeded: "Too many requests for the key's limits; `retry-after` says how long to wait.",
  provider_rate_limited: "The model's vendor limits the rate; `retry-after` says how long to wait.",
  internal_error: "A fault of the gateway's.",
  db_error: "The gateway's database did not answer.",
  provider_error: "The model's vendor failed, answered nonsense or was too slow.",
  upstream_invalid_response: "The decision is incomplete or contradicts itself; it is not charged.",
  model_unavailable: "The model cannot be reached now; try again shortly.",
};

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
