import { dataFrame, type Failure, type VendorProtocol } from "./protocol.ts";

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

/** What all of OpenAI's protocols have in common. */
export const OPENAI_SHAPE = {
  modelOf: (body) => (typeof body.model === "string" ? body.model : undefined),
  errorBody: openAiError,
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify(openAiError(failure))),
} as const satisfies Partial<VendorProtocol>;

/** What OpenAI's protocols have in common that have no streams. */
export const UNSTREAMED = {
  ...OPENAI_SHAPE,
  stream_content_type: "application/json",
  wantsStream: () => false,
  frames: () => [],
} as const satisfies Partial<VendorProtocol>;

/** What OpenAI's protocols have in common that stream text where `stream` asks for it. */
export const STREAMED = {
  ...OPENAI_SHAPE,
  stream_content_type: "text/event-stream; charset=utf-8",
  wantsStream: (body) => body.stream === true,
} as const satisfies Partial<VendorProtocol>;

/** The same for media, which may be asked for in forms, and whose errors are events. */
export const STREAMED_MEDIA = {
  ...OPENAI_SHAPE,
  stream_content_type: "text/event-stream",
  wantsStream: ({ stream }) => stream === true || stream === "true",
  errorFrame: (failure) => dataFrame("terminal", JSON.stringify({ type: "error", ...openAiError(failure) })),
} as const satisfies Partial<VendorProtocol>;
