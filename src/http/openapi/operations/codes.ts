import type { ErrorCode } from "../../../core/errors.ts";

/** The errors of each endpoint, as docs/api.md section 7 lists them; a test compares the two. */

const AUTHENTICATION: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "api_key_inactive",
  "user_inactive",
];

const BILLED: readonly ErrorCode[] = [
  ...AUTHENTICATION,
  "insufficient_balance",
  "model_not_found",
  "rate_limit_exceeded",
  "provider_rate_limited",
  "internal_error",
  "provider_error",
  "model_unavailable",
];

/** Codes of every endpoint that takes a body (docs/api.md 7.6). */
const BODY: readonly ErrorCode[] = ["request_timeout", "request_too_large", "unsupported_content_encoding"];
const ADDITIONS: readonly ErrorCode[] = [
  "model_not_supported_on_endpoint",
  "missing_tag",
  "idempotency_key_reused",
  "idempotency_in_progress",
  ...BODY,
];

export const CHAT_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_messages",
  "unsupported_message_role",
  "unsupported_parameter",
  "tool_call_id_mismatch",
  ...BILLED,
  ...ADDITIONS,
];

export const RESPONSES_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_responses_input",
  "unsupported_responses_feature",
  "previous_response_not_found",
  "item_not_found",
  "db_error",
  ...BILLED,
  ...ADDITIONS,
];

/** Counting is not charged, and names the model as a request would. */
export const INPUT_TOKENS_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_responses_input",
  "unsupported_responses_feature",
  "previous_response_not_found",
  "item_not_found",
  "model_not_supported_on_endpoint",
  "db_error",
  ...BILLED.filter((code) => code !== "insufficient_balance"),
  ...BODY,
];

export const MESSAGES_CODES: readonly ErrorCode[] = ["invalid_json", "invalid_request", ...BILLED, ...ADDITIONS];

export const DECISION_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "unknown_parameter",
  "invalid_question_type",
  "empty_questions",
  "duplicate_question_name",
  "duplicate_choice_value",
  "invalid_input",
  "invalid_choice_value",
  "image_input_not_supported",
  ...BILLED,
  "upstream_invalid_response",
  ...ADDITIONS,
];

/** Embeddings and moderations. */
export const EMBEDDING_CODES: readonly ErrorCode[] = ["invalid_json", "invalid_input", ...BILLED, ...ADDITIONS];

/** Counting is not charged, so it has no 402 and takes no idempotency key. */
export const COUNT_TOKENS_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_request",
  "model_not_supported_on_endpoint",
  ...BILLED.filter((code) => code !== "insufficient_balance"),
  ...BODY,
];

/** Gemini's style has the codes of messages. */
export const GEMINI_CODES = MESSAGES_CODES;

/** Codes of every endpoint that only reads. */
const READING: readonly ErrorCode[] = [...AUTHENTICATION, "rate_limit_exceeded"];

export const MODEL_LIST_CODES: readonly ErrorCode[] = [
  "unsupported_parameter",
  ...READING,
  "internal_error",
  "model_unavailable",
];
export const GEMINI_MODEL_LIST_CODES: readonly ErrorCode[] = [
  "invalid_request",
  ...READING,
  "internal_error",
  "model_unavailable",
];
export const MODEL_CODES: readonly ErrorCode[] = [...READING, "model_not_found", "internal_error", "model_unavailable"];
export const ACCOUNT_CODES: readonly ErrorCode[] = [...READING, "db_error", "model_unavailable"];
export const REQUEST_CODES: readonly ErrorCode[] = [...READING, "not_found", "db_error", "model_unavailable"];
export const STORED_RESPONSE_CODES: readonly ErrorCode[] = [
  "unsupported_parameter",
  ...READING,
  "not_found",
  "db_error",
  "model_unavailable",
];
