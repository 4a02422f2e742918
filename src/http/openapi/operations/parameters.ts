import { MODEL_KINDS } from "../../../core/catalog/catalog.ts";
import type { JsonObject } from "../../../core/json.ts";

/** Parameters and headers that several operations share, by their names in the document's components. */

/** A parameter, which is a text unless `more` has another schema. */
const parameterIn =
  (place: "header" | "query" | "path") =>
  (name: string, description: string, more: JsonObject = {}): JsonObject => ({
    ...{ name, in: place, ...(place === "path" && { required: true }), description, schema: { type: "string" } },
    ...more,
  });
const headerParameter = parameterIn("header");
const queryParameter = parameterIn("query");
const pathParameter = parameterIn("path");

export const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  ClientRequestId: headerParameter(
    "x-request-id",
    "The client's own name for the request. It comes back, and finds the receipt.",
    { schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" } },
  ),
  IdempotencyKey: headerParameter(
    "idempotency-key",
    "Within 24 hours a repeat with the same body gets the stored answer and is not charged; with another body it is a 409.",
    { schema: { type: "string", minLength: 1, maxLength: 255 } },
  ),
  RequestTags: headerParameter(
    "x-camino-tags",
    "At most 16 tags of the request, `NAME=VALUE` with commas between them, by which usage is grouped, and whose values can be limited. Values are percent-encoded " +
      "where they have commas, percent signs or characters beyond ASCII. They are not sent to vendors.",
    { example: "team=search,feature=summary" },
  ),
  Cache: headerParameter(
    "x-camino-cache",
    "Gives the stored answer to the same request of the same account for the same model, and stores a new one: a time such as `10m` is " +
      "the greatest age that is accepted and how long the answer is stored; `on` is the time of the key or its project. `refresh` asks anew and stores, `off` does neither.",
    { example: "10m" },
  ),
  AnthropicVersion: headerParameter(
    "anthropic-version",
    "A date, such as 2023-06-01. `altstyle-version` is an older name of the header.",
    { required: true, schema: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" }, example: "2023-06-01" },
  ),
  AnthropicBeta: headerParameter("anthropic-beta", "Passed on unchanged to vendors of this protocol."),
  ModelKind: queryParameter("kind", "Which models to list. When it is given, every entry says its `kind`.", {
    schema: { type: "string", enum: [...MODEL_KINDS, "all"], default: "chat" },
  }),
  ModelId: pathParameter("model", "A model's id, its slash plain or as `%2F`, or an alias."),
  GenerationId: queryParameter(
    "id",
    "The id in the answer (`chatcmpl-…`, `msg_…`, `resp_…`), or the gateway's own (`req_…`).",
    { required: true },
  ),
  StreamForm: queryParameter("alt", "`sse`: one event after the other. Without it the stream is one JSON array.", {
    schema: { type: "string", enum: ["sse", "json"], default: "json" },
  }),
  PageSize: queryParameter("pageSize", "How many models to list.", {
    schema: { type: "integer", minimum: 1, maximum: 1000, default: 50 },
  }),
  PageToken: queryParameter("pageToken", "The `nextPageToken` of the page before."),
  ResponseId: pathParameter("response_id", "The id of a response of this account (`resp_…`) that was stored."),
  ItemLimit: queryParameter("limit", "How many items to list.", {
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  }),
  ItemOrder: queryParameter("order", "The newest first (`desc`) or the oldest.", {
    schema: { type: "string", enum: ["asc", "desc"], default: "desc" },
  }),
  ItemAfter: queryParameter("after", "Only items that follow the one with this id, in the order of the list."),
  Include: queryParameter("include", "Accepted, and changes nothing: what was delivered is kept whole.", {
    schema: { type: "array", items: { type: "string" } },
  }),
  RequestId: pathParameter("request_id", "Our id (`req_…`), or the `x-request-id` that the client sent."),
};

const textHeader = (description: string): JsonObject => ({ description, schema: { type: "string" } });

export const HEADERS: Readonly<Record<string, JsonObject>> = {
  RequestId: textHeader("The client's `x-request-id` if it sent an acceptable one, else our id. Also as `request-id`."),
  CaminoRequestId: textHeader("Our id of the request, which finds its receipt."),
  CaminoIgnored: textHeader("Parameters that the model's vendor cannot honour and that were left out."),
  CaminoCapped: textHeader(
    "The cap on each answer's output tokens that was sent to the vendor because the wallet or a budget pays for no more. " +
      "Only where the client gave no cap.",
  ),
  LabelMass: textHeader(
    "Where the gateway decided by a chat model's probabilities: how much of them was on the possible answers, question by " +
      "question, 0 to 1; `-` for a refusal, and where the vendor allowed nothing else.",
  ),
  CaminoCache: textHeader(
    "On a request with the header: `hit` for a stored answer, `miss`, `refresh`, or `bypass` for a request that is not cached.",
  ),
  IdempotentReplayed: textHeader("`true` when the answer is a stored one."),
  RateLimit: textHeader(
    "The key's requests per minute. In addition, `x-ratelimit-{remaining,reset}-requests` and the same three for tokens; " +
      "on messages `anthropic-ratelimit-{requests,tokens}-{limit,remaining,reset}`. On endpoints that only read: the key's " +
      "reads per minute, which are ten times as many, without tokens.",
  ),
  RetryAfter: textHeader("Seconds to wait before the next try."),
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
