import type { GatewayError } from "../core/errors.ts";
import type { Attempt } from "../core/ledger.ts";
import type { BilledCall } from "./call.ts";
import type { PipelineDeps } from "./deps.ts";
import type { PricedCandidate } from "./plan.ts";

/**
 * What trying candidates has to know of the answer that is sought. A running request is one search; our decision engine
 * makes many for one request.
 */
export interface Search {
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** The tries so far. */
  readonly attempts: readonly Attempt[];
  firstByte(): void;
  /** Books a finished try. */
  attempted(candidate: PricedCandidate, started_ms: number, result: AttemptResult): void;
}

export interface AttemptResult {
  readonly status: number | null;
  readonly error: GatewayError | null;
  readonly first_byte_ms: number | null;
}
