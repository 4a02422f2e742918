import { GatewayError } from "../../core/errors.ts";
import type { PostedError } from "./messages.ts";

/** A thrown value in a form that can be sent to another thread. */
export function postedError(thrown: unknown): PostedError {
  if (!(thrown instanceof GatewayError)) return { code: null, message: textOf(thrown) };
  const { code, message, param, retry_after_ms, details, headers, cause } = thrown;
  const why = cause === undefined ? null : textOf(cause);
  return { code, message, param, retry_after_ms, details, headers, cause: why };
}

/** The error that another thread sent. An error that is no GatewayError there is none here either: it is a bug. */
export function errorFromWorker(posted: PostedError): Error {
  if (posted.code === null) return new Error(`in a body worker: ${posted.message}`);
  const { code, message, param, retry_after_ms, details, headers, cause } = posted;
  return new GatewayError(code, message, {
    ...{ param, headers },
    ...(retry_after_ms !== null && { retry_after_ms }),
    ...(details !== null && { details }),
    ...(cause !== null && { cause: new Error(cause) }),
  });
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
