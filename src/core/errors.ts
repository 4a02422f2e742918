import { StoreUnavailable } from "./store-errors.ts";

/**
 * The one table of errors. Each row is a code with its status and its name in both error styles; docs/api.md section 7
 * lists these rows by endpoint, and a test compares the two in both directions.
 */

/** One row of the table. `type_a` is style A's `error.type`, `type_b` style B's. */
interface ErrorRow {
  readonly status: number;
  readonly type_a: string;
  readonly type_b: string;
  /** Whether the same request may succeed later: decides between `retry-after` and `x-should-retry: false`. */
  readonly retryable: boolean;
}

function row(status: number, type_a: string, type_b: string, retryable = false): ErrorRow {
  return { status, type_a, type_b, retryable };
}

const bad = row(400, "invalid_request_error", "invalid_request_error");
const unauthenticated = row(401, "authentication_error", "authentication_error");

export const ERRORS = {
  invalid_json: bad,
  invalid_messages: bad,
  unsupported_message_role: bad,
  unsupported_parameter: bad,
  tool_call_id_mismatch: bad,
  invalid_responses_input: bad,
  unsupported_responses_feature: bad,
  previous_response_not_found: bad,
  item_not_found: bad,
  unknown_parameter: bad,
  invalid_question_type: bad,
  empty_questions: bad,
  duplicate_question_name: bad,
  duplicate_choice_value: bad,
  invalid_input: bad,
  invalid_choice_value: bad,
  image_input_not_supported: bad,
  model_not_supported_on_endpoint: bad,
  invalid_request: bad,
  missing_tag: bad,
  refused_by_policy: bad,
  missing_api_key: unauthenticated,
  invalid_api_key: unauthenticated,
  api_key_inactive: unauthenticated,
  user_inactive: unauthenticated,
  insufficient_balance: row(402, "billing_error", "permission_error"),
  model_not_found: row(404, "invalid_request_error", "invalid_request_error"),
  not_found: row(404, "invalid_request_error", "not_found_error"),
  method_not_allowed: row(405, "invalid_request_error", "invalid_request_error"),
  request_timeout: row(408, "invalid_request_error", "invalid_request_error", true),
  idempotency_key_reused: row(409, "invalid_request_error", "invalid_request_error"),
  idempotency_in_progress: row(409, "invalid_request_error", "invalid_request_error", true),
  request_too_large: row(413, "invalid_request_error", "request_too_large"),
  unsupported_content_encoding: row(415, "invalid_request_error", "invalid_request_error"),
  upgrade_required: row(426, "invalid_request_error", "invalid_request_error"),
  headers_too_large: row(431, "invalid_request_error", "invalid_request_error"),
  rate_limit_exceeded: row(429, "rate_limit_error", "rate_limit_error", true),
  provider_rate_limited: row(429, "rate_limit_error", "rate_limit_error", true),
  internal_error: row(500, "api_error", "api_error"),
  db_error: row(500, "api_error", "api_error", true),
  provider_error: row(502, "provider_error", "api_error", true),
  upstream_invalid_response: row(502, "provider_error", "api_error", true),
  model_unavailable: row(503, "api_error", "overloaded_error", true),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Facts of an error by name: plain values, and lists of them. */
export type ErrorDetails = Readonly<Record<string, PlainValue | readonly PlainValue[]>>;
type PlainValue = string | number | boolean | null;

interface ErrorDetail {
  /** The field the error is about, as a path in the body (`messages[2].role`); style A's `param`. */
  readonly param?: string | null;
  /** How long a client should wait before it tries again, for retryable errors. */
  readonly retry_after_ms?: number;
  /** Facts that a style's own clients act on: style B's `error.details`. */
  readonly details?: ErrorDetails;
  /** Headers that belong to the answer, such as `allow` on 405. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Sentences quote what a client or a vendor sent, which may be as long as a body. */
const MOST_CHARACTERS = 2000;

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1).toWellFormed()}…`;
}

/** An error that a client receives. The message is a sentence with the value, the allowed values and the place. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retry_after_ms: number | null;
  readonly details: ErrorDetails | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(shortened(message), detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "GatewayError";
    this.code = code;
    this.param = detail.param == null ? null : shortened(detail.param);
    this.retry_after_ms = detail.retry_after_ms ?? null;
    this.details = detail.details ?? null;
    this.headers = detail.headers ?? {};
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }
}

/** The 400 for a body or a query; `param` names its member. */
export function invalidRequest(message: string, param: string | null): GatewayError {
  return new GatewayError("invalid_request", message, { param });
}

/** When a client should try again while the database is away. */
const STORE_RETRY_MS = 2000;

/**
 * Any thrown value as a GatewayError: 503 while the database is away; other values become `internal_error`. The value is
 * kept as the cause for the log.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof StoreUnavailable) {
    const message = "The gateway's database cannot be used at the moment. Try again soon.";
    return new GatewayError("model_unavailable", message, { retry_after_ms: STORE_RETRY_MS, cause: thrown });
  }
  return new GatewayError("internal_error", "An internal error occurred. It has been recorded.", { cause: thrown });
}
