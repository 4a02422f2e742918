import type { VendorFailure } from "../../core/answer/exchange.ts";
import { type ErrorCode, GatewayError, toGatewayError } from "../../core/errors.ts";
import type { RestReason } from "../../routing/credential-rests.ts";
import { UpstreamError } from "../../wire/client/upstream-error.ts";
import { clientLeft } from "../request/client-left.ts";
import { type FailureReason, reasonOfAnswer, reasonOfTransport, reasonOfVendor } from "./failure-reason.ts";

/** The meaning of a failed attempt: the client's error if it is the last attempt, and what the routing learns. */
export interface AttemptVerdict {
  readonly error: GatewayError;
  /** Whether another candidate (`next`) or the vendor again (`same`) may succeed. */
  readonly retry: "same" | "next" | "never";
  readonly health: Health;
  /** Set where the vendor refused the credential, or limits it: another credential may succeed (docs/rulings.md 180). */
  readonly refuses?: RestReason;
  /** Why the attempt failed, for the receipt; absent where no reason is known. */
  readonly reason?: FailureReason;
}

/**
 * What a failure says about the route (docs/rulings.md 150): it `failed`; no connection was made (`unreachable`); the
 * vendor does not have the model (`missing`), or forbids it (`forbidden`); it is `fine`, because the request is at
 * fault; or nothing (`unknown`).
 */
export type Health = "failed" | "unreachable" | "missing" | "forbidden" | "fine" | "unknown";

const DEFAULT_RETRY_MS = 1000;
const RATE_LIMIT_RETRY_MS = 5000;

/**
 * The verdict on a vendor's HTTP error, by docs/rulings.md 19. `general_error` is the endpoint's code for a bad
 * request.
 */
export function judgeStatus(failure: VendorFailure, general_error: ErrorCode): AttemptVerdict {
  return { ...verdictOf(failure, general_error), reason: reasonOfVendor(failure) };
}

function verdictOf(failure: VendorFailure, general_error: ErrorCode): AttemptVerdict {
  const { status } = failure;
  if (status === 400 || status === 413 || status === 422) {
    // The request is at fault, so the client gets the vendor's sentence (docs/rulings.md 19).
    const { message, param = null, details } = failure;
    const error = new GatewayError(general_error, message, { param, ...(details && { details }) });
    return { error, retry: "never", health: "fine" };
  }
  if (status === 429) {
    const retry_after_ms = failure.retry_after_ms ?? RATE_LIMIT_RETRY_MS;
    const message = `The model's vendor limits the rate: ${failure.message}`;
    const error = new GatewayError("provider_rate_limited", message, { retry_after_ms });
    return { error, retry: "next", health: "unknown", refuses: "limited" };
  }
  if (status === 404) {
    const error = unavailable("The model is temporarily unavailable at the vendor.");
    return { error, retry: "next", health: "missing" };
  }
  if (status === 401 || status === 403) {
    // The gateway's credential was refused, not the client's: the vendor's sentence goes to the operator's log only.
    const error = provider("The model's vendor refused the gateway's credential.");
    if (status === 401) return { error, retry: "next", health: "failed", refuses: "refused" };
    return { error, retry: "next", health: "forbidden", refuses: "forbidden" };
  }
  const message = `The model's vendor answered with status ${status}: ${failure.message}`;
  return { error: provider(message), retry: status === 503 || status === 529 ? "same" : "next", health: "failed" };
}

/** The verdict on a failure inside a 200 answer before any content: an overload becomes 503 (docs/rulings.md 19a). */
export function judgeEvent(failure: VendorFailure, general_error: ErrorCode): AttemptVerdict {
  if (failure.status !== 503 && failure.status !== 529) return judgeStatus(failure, general_error);
  const error = unavailable(`The model is overloaded: ${failure.message}`);
  return { error, retry: "next", health: "failed", reason: reasonOfVendor(failure) };
}

/**
 * The verdict on a failure of the transport. `began`: the head of an answer had arrived. A connection that breaks
 * before it is often a kept connection that the vendor closed at that moment, so the same vendor is asked again.
 */
export function judgeTransport(fault: UpstreamError, began = true): AttemptVerdict {
  const verdict = verdictOfTransport(fault, began);
  return fault.fault === "aborted" ? verdict : { ...verdict, reason: reasonOfTransport(fault) };
}

function verdictOfTransport(fault: UpstreamError, began: boolean): AttemptVerdict {
  switch (fault.fault) {
    case "unreachable": {
      const error = unavailable("The model's vendor cannot be reached.", fault);
      return { error, retry: "same", health: "unreachable" };
    }
    case "first_byte_timeout":
    case "total_timeout":
    case "idle_timeout":
      return failed("The model's vendor did not answer in time.", "never", fault);
    case "too_large":
      return failed("The model's vendor sent too large an answer.", "next", fault);
    case "credential":
      return failed("The gateway has no credential for the model's vendor.", "next", fault);
    case "broken":
      return failed("The connection to the model's vendor broke.", began ? "next" : "same", fault);
    case "aborted":
      return { error: clientLeft(fault), retry: "never", health: "unknown" };
  }
}

function failed(message: string, retry: AttemptVerdict["retry"], fault: UpstreamError): AttemptVerdict {
  return { error: provider(message, fault), retry, health: "failed" };
}

/**
 * The verdict on any thrown value: transport faults and protocol limits are the vendor's, all else is the gateway's
 * bug.
 */
export function judgeThrown(thrown: unknown, began = true): AttemptVerdict {
  if (thrown instanceof UpstreamError) return judgeTransport(thrown, began);
  if (thrown instanceof GatewayError) {
    // Another vendor may answer correctly, and no byte of the unreadable answer was sent to the client.
    const is_invalid = thrown.row.status === 502;
    // No vendor is at fault where the gateway could not do its own work.
    const health = thrown.code === "model_unavailable" ? "unknown" : "failed";
    const verdict = { error: thrown, retry: is_invalid ? "next" : "never", health } as const;
    return is_invalid ? { ...verdict, reason: reasonOfAnswer(thrown.message) } : verdict;
  }
  return { error: toGatewayError(thrown), retry: "never", health: "unknown" };
}

/** The verdict on a 200 without an answer. */
export function judgeEmpty(): AttemptVerdict {
  return invalidAnswer("The model's vendor sent an answer without content.");
}

/** The verdict on a stream that ended before its answer was whole. */
export function judgeBrokenOff(): AttemptVerdict {
  return invalidAnswer("The model's vendor broke the answer off before its end.");
}

function invalidAnswer(message: string): AttemptVerdict {
  return { error: provider(message), retry: "next", health: "failed", reason: reasonOfAnswer(message) };
}

function provider(message: string, cause?: unknown): GatewayError {
  return new GatewayError("provider_error", message, { retry_after_ms: DEFAULT_RETRY_MS, cause });
}

function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError("model_unavailable", message, { retry_after_ms: DEFAULT_RETRY_MS, cause });
}

/** A vendor's `retry-after` header, in seconds or as a date, as milliseconds; null when absent or unreadable. */
export function readRetryAfter(header: string | null, now_ms: number): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : Math.min(seconds * 1000, 3_600_000);
  const date_ms = Date.parse(header);
  return Number.isNaN(date_ms) ? null : Math.min(Math.max(0, date_ms - now_ms), 3_600_000);
}

/** Null for a refusal by an exchange: its candidate is skipped. Throws anything else; a thread that is gone refuses nothing. */
export function nullIfRefused(thrown: unknown): null {
  if (thrown instanceof GatewayError && thrown.code !== "model_unavailable") return null;
  throw thrown;
}
