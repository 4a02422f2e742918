import type { Failure } from "./protocol.ts";

interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** OpenAI's error object, with the type and code that it uses for a status. */
export function openAiError({ status, message, param, code }: Failure): OpenAiError {
  const [type, usual_code] = BY_STATUS[status] ?? (status >= 500 ? SERVER_ERROR : INVALID_REQUEST);
  return { error: { message, type, param, code: code ?? usual_code } };
}

type Names = readonly [type: string, code: string | null];

const SERVER_ERROR: Names = ["server_error", null];
const INVALID_REQUEST: Names = ["invalid_request_error", null];

const BY_STATUS: Readonly<Record<number, Names>> = {
  401: ["invalid_request_error", "invalid_api_key"],
  403: ["permission_error", "permission_denied"],
  404: ["invalid_request_error", "model_not_found"],
  429: ["requests", "rate_limit_exceeded"],
  503: ["service_unavailable_error", "server_overloaded"],
  529: ["overloaded_error", "server_overloaded"],
};
