import { answerDigest } from "../../core/answer/answer-digest.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { type Attempt, CLIENT_LEFT, type Outcome } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import type { AttemptNotes, AttemptResult } from "./attempt.ts";
import type { FailureReason } from "./failure-reason.ts";

/** Collects the facts of a request's receipt: when it was admitted, which vendors were asked, and the outcome of each attempt. */
export class Receipt implements AttemptNotes {
  readonly attempts: Attempt[] = [];
  /** Parameters that were left out because the target cannot honour them: `x-camino-ignored`. */
  ignored: readonly string[] = [];
  readonly #deps: PipelineDeps;
  readonly #call: BilledCall;
  #admitted_ms: number;
  /** From the request's arrival to the first byte of the vendor's answer. */
  #first_byte_ms: number | null = null;
  /** When the answer's first byte arrived, until it has gone on. */
  #arrived_answer_ms: number | null = null;
  /** When the last attempt began, since the request's arrival. */
  #attempt_started_ms = 0;
  #upstream_cost_micro: Micro | null = null;
  #answer_digest: number | null = null;

  constructor(deps: PipelineDeps, call: BilledCall) {
    this.#deps = deps;
    this.#call = call;
    this.#admitted_ms = call.arrived_ms;
  }

  admitted(at_ms: number): void {
    this.#admitted_ms = at_ms;
  }

  firstByte(at_ms: number): void {
    if (this.#first_byte_ms !== null) return;
    const { arrived_ms, endpoint } = this.#call;
    this.#arrived_answer_ms = at_ms;
    this.#first_byte_ms = at_ms - arrived_ms;
    this.#deps.metrics.first_byte.add(this.#first_byte_ms / 1000, endpoint);
  }

  /** Notes that the answer goes on to the client, or to its settlement: counted once. */
  wentOn(at_ms: number): void {
    const arrived_ms = this.#arrived_answer_ms;
    if (arrived_ms === null) return;
    this.#arrived_answer_ms = null;
    this.#deps.metrics.overhead.add((at_ms - arrived_ms) / 1000, "answer");
  }

  leftOut(names: readonly string[]): void {
    this.ignored = names;
  }

  attempted({ vendor, route, credential }: PricedCandidate, result: AttemptResult, ended_ms: number): void {
    const { status, started_ms, first_byte_ms } = result;
    const error = result.error?.code ?? null;
    const before_ms = started_ms - this.#call.arrived_ms;
    if (this.attempts.length === 0)
      this.#deps.metrics.overhead.add(
        (before_ms - this.#call.body_wait_ms - (this.#call.hook_ms ?? 0)) / 1000,
        "request",
      );
    this.#attempt_started_ms = Math.max(0, Math.round(before_ms));
    let attempt: Attempt = {
      vendor: vendor.id,
      upstream_model: route.upstream_model,
      status,
      error,
      first_byte_ms: first_byte_ms === null ? null : Math.round(first_byte_ms),
      duration_ms: Math.round(ended_ms - started_ms),
    };
    if (credential !== undefined || result.why !== null || result.passed_over.length > 0)
      attempt = { ...attempt, ...choiceOf(credential?.name, result) };
    const is_first_and_well = error === null && this.attempts.length === 0 && result.reason === null;
    this.attempts.push(is_first_and_well ? attempt : this.#explained(attempt, result));
    this.#deps.metrics.attempts.add(1, vendor.id, error ?? "ok");
  }

  /** An attempt with what a receipt tells of one that failed, or came after one that did. */
  #explained(attempt: Attempt, { reason }: AttemptResult): Attempt {
    const has_beginning = attempt.error !== null || this.attempts.length > 0;
    return {
      ...attempt,
      ...(has_beginning && { started_ms: this.#attempt_started_ms }),
      ...(reason !== null && receiptMembers(reason)),
    };
  }

  /** Records why a vendor broke off an answer that had begun: its attempt is recorded already. */
  brokeOff(reason: FailureReason): void {
    const last = this.attempts.pop();
    if (last !== undefined)
      this.attempts.push({ ...last, started_ms: this.#attempt_started_ms, ...receiptMembers(reason) });
  }

  /** `id`: the answer's own, as its client sees it; null where it has none. */
  answered(id: string | null): void {
    if (id !== null) this.#answer_digest = answerDigest(id);
  }

  /** Whether our decision engine asked for it. */
  get is_of_engine(): boolean {
    return this.#upstream_cost_micro !== null;
  }

  /** Records the calls of our decision engine, and their cost, which is separate from the answer's charge (docs/rulings.md 40). */
  engineAsked(attempts: readonly Attempt[], cost_micro: Micro): void {
    this.attempts.push(...attempts);
    this.#upstream_cost_micro = cost_micro;
  }

  /** `is_left`: the client has left, which is why the request ended where there is no error. */
  outcome(error: ErrorCode | null, is_left: boolean): Outcome {
    const { arrived_ms, hook_ms } = this.#call;
    const first_byte_ms = this.#first_byte_ms;
    const answer_digest = this.#answer_digest;
    const outcome: Outcome = {
      attempts: this.attempts,
      error: error ?? (is_left ? CLIENT_LEFT : null),
      queue_ms: Math.round(this.#admitted_ms - arrived_ms),
      first_byte_ms: first_byte_ms === null ? null : Math.round(first_byte_ms),
      duration_ms: Math.round(this.#deps.clock.monotonic_ms() - arrived_ms),
      ...(answer_digest !== null && { answer_digest }),
      ...(hook_ms !== null && { hook_ms: Math.round(hook_ms) }),
    };
    const upstream_cost_micro = this.#upstream_cost_micro;
    return upstream_cost_micro === null ? outcome : { ...outcome, upstream_cost_micro };
  }
}

/** Which of several candidates was asked, and why. */
function choiceOf(credential: string | undefined, { why, passed_over }: AttemptResult): Partial<Attempt> {
  return {
    ...(credential !== undefined && { credential }),
    ...(why !== null && { why }),
    ...(passed_over.length > 0 && { passed_over }),
  };
}

function receiptMembers({ text, is_private }: FailureReason): Pick<Attempt, "said" | "said_to_operator"> {
  return is_private ? { said: text, said_to_operator: true } : { said: text };
}
