import { MODEL_KINDS } from "../../../core/catalog/catalog.ts";
import type { JsonObject } from "../../../core/json.ts";

/** Parameters and headers that several operations share, by their names in the document's components. */

export const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  ClientRequestId: {
    name: "x-request-id",
    in: "header",
    description: "The client's own name for the request. It comes back, and finds the receipt.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
  IdempotencyKey: {
    name: "idempotency-key",
    in: "header",
    description:
      "Within 24 hours a repeat with the same body gets the stored answer and is not charged; with another body it is a 409.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  RequestTags: {
    name: "x-camino-tags",
    in: "header",
    description:
      "At most 16 tags of the request, `NAME=VALUE` with commas between them, by which usage is grouped, and whose values can be limited. Values are percent-encoded " +
      "where they have commas, percent signs or characters beyond ASCII. They are not sent to vendors.",
    schema: { type: "string" },
    example: "team=search,feature=summary",
  },
  Cache: {
    name: "x-camino-cache",
    in: "header",
    description:
      "Gives the stored answer to the same request of the same account for the same model, and stores a new one: a time such as `10m` is " +
      "the greatest age that is accepted and how long the answer is stored; `on` is the time of the key or its project. `refresh` asks anew and stores, `off` does neither.",
    schema: { type: "string" },
    example: "10m",
  },
  AnthropicVersion: {
    name: "anthropic-version",
    in: "header",
    required: true,
    description: "A date, such as 2023-06-01. `altstyle-version` is an older name of the header.",
    schema: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
    example: "2023-06-01",
  },
  AnthropicBeta: {
    name: "anthropic-beta",
    in: "header",
    description: "Passed on unchanged to vendors of this protocol.",
    schema: { type: "string" },
  },
  ModelKind: {
    name: "kind",
    in: "query",
    description: "Which models to list. When it is given, every entry says its `kind`.",
    schema: { type: "string", enum: [...MODEL_KINDS, "all"], default: "chat" },
  },
  ModelId: {
    name: "model",
    in: "path",
    required: true,
    description: "A model's id, its slash plain or as `%2F`, or an alias.",
    schema: { type: "string" },
  },
  GenerationId: {
    name: "id",
    in: "query",
    required: true,
    description: "The id in the answer (`chatcmpl-…`, `msg_…`, `resp_…`), or the gateway's own (`req_…`).",
    schema: { type: "string" },
  },
  StreamForm: {
    name: "alt",
    in: "query",
    description: "`sse`: one event after the other. Without it the stream is one JSON array.",
    schema: { type: "string", enum: ["sse", "json"], default: "json" },
  },
  PageSize: {
    name: "pageSize",
    in: "query",
    description: "How many models to list.",
    schema: { type: "integer", minimum: 1, maximum: 1000, default: 50 },
  },
  PageToken: {
    name: "pageToken",
    in: "query",
    description: "The `nextPageToken` of the page before.",
    schema: { type: "string" },
  },
  ResponseId: {
    name: "response_id",
    in: "path",
    required: true,
    description: "The id of a response of this account (`resp_…`) that was stored.",
    schema: { type: "string" },
  },
  ItemLimit: {
    name: "limit",
    in: "query",
    description: "How many items to list.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  },
  ItemOrder: {
    name: "order",
    in: "query",
    description: "The newest first (`desc`) or the oldest.",
    schema: { type: "string", enum: ["asc", "desc"], default: "desc" },
  },
  ItemAfter: {
    name: "after",
    in: "query",
    description: "Only items that follow the one with this id, in the order of the list.",
    schema: { type: "string" },
  },
  Include: {
    name: "include",
    in: "query",
    description: "Accepted, and changes nothing: what was delivered is kept whole.",
    schema: { type: "array", items: { type: "string" } },
  },
  RequestId: {
    name: "request_id",
    in: "path",
    required: true,
    description: "Our id (`req_…`), or the `x-request-id` that the client sent.",
    schema: { type: "string" },
  },
};

const limit = (description: string): JsonObject => ({ description, schema: { type: "string" } });

export const HEADERS: Readonly<Record<string, JsonObject>> = {
  RequestId: limit("The client's `x-request-id` if it sent an acceptable one, else our id. Also as `request-id`."),
  CaminoRequestId: limit("Our id of the request, which finds its receipt."),
  CaminoIgnored: limit("Parameters that the model's vendor cannot honour and that were left out."),
  CaminoCapped: limit(
    "The cap on each answer's output tokens that was sent to the vendor because the wallet or a budget pays for no more. " +
      "Only where the client gave no cap.",
  ),
  LabelMass: limit(
    "Where the gateway decided by a chat model's probabilities: how much of them was on the possible answers, question by " +
      "question, 0 to 1; `-` for a refusal, and where the vendor allowed nothing else.",
  ),
  CaminoCache: limit(
    "On a request with the header: `hit` for a stored answer, `miss`, `refresh`, or `bypass` for a request that is not cached.",
  ),
  IdempotentReplayed: limit("`true` when the answer is a stored one."),
  RateLimit: limit(
    "The key's requests per minute. In addition, `x-ratelimit-{remaining,reset}-requests` and the same three for tokens; " +
      "on messages `anthropic-ratelimit-{requests,tokens}-{limit,remaining,reset}`. On endpoints that only read: the key's " +
      "reads per minute, which are ten times as many, without tokens.",
  ),
  RetryAfter: limit("Seconds to wait before the next try."),
};

/** References to parameters by their names in the components. */
export function parameters(...names: readonly (keyof typeof PARAMETERS & string)[]): JsonObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export const BILLED_PARAMETERS: readonly JsonObject[] = parameters(
  "IdempotencyKey",
  "ClientRequestId",
  "RequestTags",
  "Cache",
);
