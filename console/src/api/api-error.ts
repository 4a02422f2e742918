import type { ErrorBody } from "../../../contract/common.ts";

/** A refusal of the console API, or a call that got no answer (`code` is then "unreachable", `status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The wrong field of the request; null where the refusal is not about a field. */
  readonly param: string | null;
  readonly request_id: string | null;

  constructor(
    message: string,
    details: { status: number; code: string; param?: string | null; request_id?: string | null; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.param = details.param ?? null;
    this.request_id = details.request_id ?? null;
  }
}

/** Reads a refused response as an ApiError. Never throws, whatever the body is. */
export async function readApiError(response: Response): Promise<ApiError> {
  const told = { status: response.status, request_id: response.headers.get("x-request-id") };
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = body?.error;
  if (typeof error?.message !== "string") {
    return new ApiError(`The gateway answered with status ${response.status}.`, { ...told, code: "unknown" });
  }
  return new ApiError(error.message, { ...told, code: error.code, param: error.param });
}

/** A sentence for the user about any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "Something unexpected went wrong.";
}

/** The error of one field of a form; null where the thrown error is not about that field. */
export function fieldError(thrown: unknown, field: string): string | null {
  return thrown instanceof ApiError && thrown.param === field ? thrown.message : null;
}
