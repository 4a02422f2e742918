import type { Failure } from "./protocol.ts";

/** OpenAI's error object, with the type and code that it uses for a status. */
export function openAiError({ status, message, param, code }: Failure): { error: object } {
  const [type, usual_code] =
    OPENAI_ERRORS[status] ?? (status >= 500 ? ["server_error", null] : ["invalid_request_error", null]);
  return { error: { message, type, param, code: code ?? usual_code } };
}

const OPENAI_ERRORS: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  401: ["invalid_request_error", "invalid_api_key"],
  403: ["permission_error", "permission_denied"],
  404: ["invalid_request_error", "model_not_found"],
  429: ["requests", "rate_limit_exceeded"],
  503: ["service_unavailable_error", "server_overloaded"],
  529: ["overloaded_error", "server_overloaded"],
};
