import type { ErrorDetails, GatewayError } from "../../core/errors.ts";

/** Style A's error object (docs/api.md 2.10). */
export interface StyleAError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

/** An error in style A's shape: the body of an answer, and the data of the last event of a broken chat stream. */
export function styleAError(error: GatewayError): StyleAError {
  return { error: { message: error.message, type: error.row.type_a, param: error.param, code: error.code } };
}

/** Style C's error object, Google's (docs/api.md 2.10): the words of gRPC, and details by their types. */
export interface StyleCError {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly details: readonly object[];
  };
}

/** An error in style C's shape: the body of an answer, and the last object of a broken stream. */
export function styleCError({ row, message, code, param, retry_after_ms }: GatewayError): StyleCError {
  const metadata = param === null ? {} : { metadata: { param } };
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: "camino", ...metadata };
  const delay = `${Math.max(1, Math.ceil((retry_after_ms ?? 1000) / 1000))}s`;
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: delay };
  const details = row.retryable ? [info, retry] : [info];
  return { error: { code: row.status, message, status: STATUS_WORDS[row.status] ?? "INTERNAL", details } };
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  426: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  431: "INVALID_ARGUMENT",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
};

/** Style B's error object (docs/api.md 2.10). */
interface StyleBError {
  readonly type: "error";
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: ErrorDetails;
  };
  readonly request_id: string;
}

/** An error in style B's shape: the body of an answer, and the data of an `error` event of a broken stream. */
export function styleBError(error: GatewayError, request_id: string): StyleBError {
  const { row, message, details } = error;
  const told = { type: row.type_b, message, ...(details === null ? {} : { details }) };
  return { type: "error", error: told, request_id };
}
