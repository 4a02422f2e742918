import type { GatewayError } from "../../core/errors.ts";
import type { Attempt } from "../../core/ledger.ts";
import type { ClientSignal } from "../../core/answer-stream.ts";
import type { BilledCall } from "../call.ts";
import type { PipelineDeps } from "../deps.ts";
import type { PricedCandidate } from "../generation/plan.ts";

/**
 * What attempts at candidates need to know of the request that they are made for. A running request is one context; our
 * decision engine makes many for one request, one for each call.
 */
export interface AttemptContext {
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: Pick<ClientSignal, "aborted">;
  /** The attempts so far. */
  readonly attempts: readonly Attempt[];
  /** The vendor's answer began to arrive, at this time or before. */
  firstByte(at_ms: number): void;
  /** Records an attempt that ended at this time. */
  attempted(candidate: PricedCandidate, result: AttemptResult, ended_ms: number): void;
}

export interface AttemptResult {
  readonly started_ms: number;
  readonly status: number | null;
  readonly error: GatewayError | null;
  readonly first_byte_ms: number | null;
}
