import type { GatewayError } from "../../core/errors.ts";
import type { Attempt } from "../../core/ledger.ts";
import type { ClientSignal } from "../../core/answer-stream.ts";
import type { BilledCall } from "../call.ts";
import type { PipelineDeps } from "../deps.ts";
import type { PricedCandidate } from "../generation/plan.ts";

/**
 * What trying candidates has to know of the answer that is sought. A running request is one search; our decision engine
 * makes many for one request.
 */
export interface Search {
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: Pick<ClientSignal, "aborted">;
  /** The tries so far. */
  readonly attempts: readonly Attempt[];
  /** The vendor's answer began to come, at the latest at that moment. */
  firstByte(at_ms: number): void;
  /** Books a try that ended at that moment. */
  attempted(candidate: PricedCandidate, result: AttemptResult, ended_ms: number): void;
}

export interface AttemptResult {
  readonly started_ms: number;
  readonly status: number | null;
  readonly error: GatewayError | null;
  readonly first_byte_ms: number | null;
}
