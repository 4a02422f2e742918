import { GatewayError } from "../../core/errors.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";

const RETRY_AFTER_MS = 2000;

/**
 * The error in place of a whole answer or a decision whose charge could not be booked (docs/rulings.md 159): 503 while the database is
 * away, so that the client asks again; 500 where the fault is ours.
 */
export function withheld(cause: unknown): GatewayError {
  const is_away = cause instanceof GatewayError && cause.cause instanceof StoreUnavailable;
  if (!is_away)
    return new GatewayError("internal_error", "The answer could not be recorded, so it is withheld.", { cause });
  return new GatewayError(
    "model_unavailable",
    "The answer could not be recorded while the gateway's database cannot be used, so it is withheld. Try again soon.",
    { cause, retry_after_ms: RETRY_AFTER_MS },
  );
}
