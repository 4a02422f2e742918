import type { JsonObject } from "../../../core/json.ts";
import { CreditsObject, RequestObject, UsageObject } from "../schemas/account.ts";
import { ACCOUNT_CODES, REQUEST_CODES } from "./codes.ts";
import type { OperationRow, SampleSettings } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { getSnippets } from "./snippets.ts";

const DAY: JsonObject = {
  cost_micro: 10500,
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  request_count: 2,
  success_count: 1,
};

const RECEIPT: JsonObject = {
  id: "req_2Ld9XqzB7mYw4RkTn6VhsC",
  object: "request",
  client_request_id: null,
  created: 1795219200,
  endpoint: "chat.completions",
  stream: true,
  key_id: "key_9sPq2LmXw7RkTn4VhCzB6Y",
  project_id: null,
  tags: { team: "search" },
  requested_model: "fast",
  model: "acme/swift-1",
  status: "settled",
  error: null,
  usage: {
    input_tokens: 900,
    cache_read_tokens: 100,
    cache_write_tokens: 0,
    output_tokens: 500,
    reasoning_tokens: 120,
  },
  estimated: false,
  late: false,
  price: {
    version: "p_5c1f0a",
    input_micro_per_mtok: 3000000,
    output_micro_per_mtok: 15000000,
    cache_read_micro_per_mtok: 300000,
    cache_write_micro_per_mtok: 3750000,
    tiers: [],
  },
  currency: "USD",
  hold_micro: 65190,
  charge_micro: 10230,
  operator_loss_micro: 0,
  upstream_cost_micro: null,
  attempts: [
    {
      vendor: "acme",
      upstream_model: "swift-1-0926",
      status: 200,
      error: null,
      first_byte_ms: 412.5,
      duration_ms: 3891.2,
      started_ms: 0.9,
      said: null,
    },
  ],
  queue_ms: 0.8,
  first_byte_ms: 413.6,
  duration_ms: 3892.4,
};

/** The operations of the account's endpoints (docs/api.md 4.8, 4.10). */
export function accountOperations(settings: SampleSettings): OperationRow[] {
  return [
    {
      route: "usage",
      operation_id: "getUsage",
      tag: "Account",
      summary: "Usage",
      description:
        "Spend and tokens of the current UTC day, ISO week and calendar month. May lag behind by up to a minute.",
      credential: "either",
      answer: {
        description: "The three windows.",
        headers: ["RateLimit"],
        contents: [
          {
            type: "application/json",
            schema: UsageObject,
            example: { currency: "USD", daily: DAY, weekly: DAY, monthly: DAY },
          },
        ],
      },
      errors: ACCOUNT_CODES,
      samples: getSnippets(settings, "/v1/usage"),
    },
    {
      route: "credits",
      operation_id: "getCredits",
      tag: "Account",
      summary: "Credits",
      description: "What the wallet can still spend, and what running requests hold. Read live.",
      credential: "either",
      answer: {
        description: "The wallet.",
        headers: ["RateLimit"],
        contents: [
          {
            type: "application/json",
            schema: CreditsObject,
            example: { currency: "USD", balance_micro: 24989770, uncollected_micro: 0 },
          },
        ],
      },
      errors: ACCOUNT_CODES,
      samples: getSnippets(settings, "/v1/credits"),
    },
    {
      route: "requests.retrieve",
      operation_id: "retrieveRequest",
      tag: "Account",
      summary: "Retrieve a receipt",
      description:
        "What one billed request used and cost, and how it went. By the client's own `x-request-id` it is the newest " +
        "request of that name.",
      credential: "either",
      parameters: [parameter("RequestId")],
      answer: {
        description: "The receipt.",
        headers: ["RateLimit"],
        contents: [{ type: "application/json", schema: RequestObject, example: RECEIPT }],
      },
      errors: REQUEST_CODES,
      samples: getSnippets(settings, "/v1/requests/$REQUEST_ID"),
    },
  ];
}
