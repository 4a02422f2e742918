import type { ClientSignal } from "../../core/answer/answer-stream.ts";
import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import type { Attempt, RouteReason } from "../../core/ledger/ledger.ts";
import type { TracedAttempt } from "../../observe/call-trace.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { LimitReservation } from "../../routing/vendor-limits.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import type { BilledCall } from "../call/call.ts";
import type { PipelineDeps } from "../call/deps.ts";
import type { CandidateOrder } from "../plan/order-candidates.ts";
import type { PricedCandidate } from "../plan/prospects.ts";
import type { FailureReason } from "./failure-reason.ts";
import { requestFor, type VendorExchange } from "./request-for.ts";
import type { VendorCall } from "./vendor-call.ts";
import { type AttemptVerdict, judgeEvent, judgeStatus, judgeThrown, readRetryAfter } from "./vendor-failure.ts";
import { withoutCredentials } from "./without-credentials.ts";

/**
 * The parts of a request that attempts at candidates need. A running request is one context; our
 * decision engine makes many for one request, one for each call.
 */
export interface AttemptContext {
  readonly deps: PipelineDeps;
  readonly call: BilledCall;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: Pick<ClientSignal, "aborted">;
  readonly notes: AttemptNotes;
  readonly vendor_call: VendorCall;
  /** The most input tokens that the request may have: limits of vendors are judged by it. */
  readonly bound_tokens: number;
  /** How the candidates were put in order; absent where there was no choice. */
  readonly order?: CandidateOrder | undefined;
}

export interface AttemptNotes {
  /** The attempts so far. */
  readonly attempts: readonly Attempt[];
  /** Notes that the vendor's answer began to arrive, at this time or before. */
  firstByte(at_ms: number): void;
  /** Notes the parameters that were left out of the request for the candidate that is asked. */
  leftOut(names: readonly string[]): void;
  /** Records an attempt that ended at this time. */
  attempted(candidate: PricedCandidate, result: AttemptResult, ended_ms: number): void;
}

/** What is known when an attempt begins. */
export interface AttemptBeginning {
  readonly started_ms: number;
  readonly passed_over: readonly string[];
  /** Its place in the limits of its vendor; null where there are none. */
  readonly reservation: LimitReservation | null;
}

/** The record of an attempt that has ended. */
export interface AttemptResult {
  readonly started_ms: number;
  readonly status: number | null;
  readonly error: GatewayError | null;
  readonly first_byte_ms: number | null;
  /** Why this candidate was asked; null where there was no choice. */
  readonly why: RouteReason | null;
  /** The candidates that were passed over before it. */
  readonly passed_over: readonly string[];
  /** Why the attempt failed; null where no reason is known, or where it did not fail. */
  readonly reason: FailureReason | null;
}

/**
 * One attempt at one vendor, until its reply is known to be an answer. Ends with `answered` or `failed`. Every call passes here, so
 * synchronous steps make no promise.
 */
export class VendorAttempt implements AttemptResult {
  readonly started_ms: number;
  status: number | null = null;
  first_byte_ms: number | null = null;
  error: GatewayError | null = null;
  reason: FailureReason | null = null;
  readonly why: RouteReason | null;
  readonly passed_over: readonly string[];
  /** Ends with the attempt, unless the answer is a stream that continues. */
  readonly metered: MeteredCall;
  readonly #context: AttemptContext;
  readonly #candidate: PricedCandidate;
  readonly #exchange: VendorExchange;
  #reply: UpstreamReply | null = null;
  #head_ms = 0;
  /** Its span; null where no trace is made. */
  readonly #traced: TracedAttempt | null;

  constructor(
    context: AttemptContext,
    candidate: PricedCandidate,
    exchange: VendorExchange,
    { started_ms, passed_over, reservation }: AttemptBeginning,
  ) {
    this.#context = context;
    this.#candidate = candidate;
    this.#exchange = exchange;
    this.started_ms = started_ms;
    this.passed_over = passed_over;
    this.why = context.order?.reasonOf(candidate) ?? null;
    const { vendor, route, credential } = candidate;
    this.#traced = context.call.trace?.attempt(started_ms, vendor.id, route.upstream_model) ?? null;
    const beside = context.order === undefined ? undefined : (credential?.name ?? "");
    this.metered = context.deps.meters.begin(vendor.id, route.upstream_model, started_ms, beside);
    if (reservation !== null) this.metered.onEnd = () => reservation.end();
  }

  /** Makes the call. Resolves when the head of an answer has arrived. */
  ask(): Promise<UpstreamReply> {
    const { vendor_call, deps } = this.#context;
    const request = requestFor(this.#candidate, this.#exchange, this.#context.call.trace?.headersFor(this.#traced));
    vendor_call.begun = null;
    vendor_call.asked = this.#candidate;
    vendor_call.exchange = this.#exchange;
    const call = deps.upstream.start(request);
    vendor_call.current = call;
    return call.reply;
  }

  /** Takes the head of an answer. Returns a verdict where its status is an error, null for an answer to be read. */
  replied(reply: UpstreamReply): Promise<AttemptVerdict> | null {
    const now_ms = this.#context.deps.clock.monotonic_ms();
    this.status = reply.status;
    this.first_byte_ms = now_ms - this.started_ms;
    this.#head_ms = now_ms;
    if (reply.status < 200 || reply.status > 299) return this.#readFailure(reply);
    this.#reply = reply;
    this.#context.vendor_call.begun = { candidate: this.#candidate, report: null };
    this.metered.answered(now_ms);
    return null;
  }

  /**
   * The reply is an answer. `goes_on`: the reader of the rest ends the metering. `at_once`: all of it arrived with its
   * head, whose time of arrival counts.
   */
  answered(goes_on: boolean, at_once: boolean): void {
    const now_ms = at_once ? this.#head_ms : this.#context.deps.clock.monotonic_ms();
    if (!goes_on) this.metered.completed(now_ms);
    this.#traced?.answered(this, goes_on ? null : now_ms);
    this.#context.notes.firstByte(now_ms);
    this.#context.notes.attempted(this.#candidate, this, now_ms);
  }

  /** Records the attempt as a success of its route. */
  succeeded(): void {
    const { vendor, route, credential } = this.#candidate;
    const { deps, call } = this.#context;
    const { account_id } = call.key;
    deps.breakers.succeeded(vendor.id, route.upstream_model, account_id);
    if (credential !== undefined) deps.breakers.credentials.answered(vendor.id, credential.name, account_id);
    this.#context.order?.answered(this.#candidate);
  }

  /**
   * The attempt failed. Rate limits count as errors of the vendor; an abandoned attempt says nothing about the route.
   */
  failed({ health, error, reason }: AttemptVerdict): void {
    this.error = error;
    this.reason = reason ?? null;
    // Bytes that are no answer may be left over from an earlier use of the connection, with the true answer still to come: so the connection is
    // not used again.
    this.#reply?.discard();
    if (health === "fine") this.metered.ended();
    else if (health === "unknown" && error.code !== "provider_rate_limited") this.metered.forgotten();
    else this.metered.failed(error.code, this.status);
    const now_ms = this.#context.deps.clock.monotonic_ms();
    this.#traced?.failed(this, error.code, now_ms);
    this.#context.notes.attempted(this.#candidate, this, now_ms);
  }

  judge(thrown: unknown): AttemptVerdict {
    return judgeThrown(thrown, this.status !== null);
  }

  async #readFailure(reply: UpstreamReply): Promise<AttemptVerdict> {
    const { call, deps } = this.#context;
    const text = await reply.readErrorText();
    // A 408 is an idle connection's timeout, and a body that is no JSON comes from no API: so the connection is not used again.
    if (reply.status === 408 || !/^\s*[[{]/.test(text)) reply.discard();
    const failure = withoutCredentials(await this.#exchange.readError(reply.status, text), this.#candidate.vendor);
    const retry_after_ms =
      failure.retry_after_ms ?? readRetryAfter(reply.headers.get("retry-after"), deps.clock.now_ms());
    return judgeStatus(withWait(this.#context, this.#candidate, { ...failure, retry_after_ms }), call.general_error);
  }
}

/** The verdict on a failure that a vendor reported inside its answer. */
export function judgeReportedFailure(
  context: AttemptContext,
  candidate: PricedCandidate,
  failure: VendorFailure,
): AttemptVerdict {
  const waited = withWait(context, candidate, withoutCredentials(failure, candidate.vendor));
  return judgeEvent(waited, context.call.general_error);
}

/** A failure with how long to wait, where a vendor limits the rate and does not say it. */
function withWait({ deps }: AttemptContext, candidate: PricedCandidate, failure: VendorFailure): VendorFailure {
  const { vendor, route, credential } = candidate;
  const { status, retry_after_ms } = failure;
  if (status !== 429) return failure;
  if (credential !== undefined)
    return {
      ...failure,
      retry_after_ms: deps.breakers.credentials.limited(vendor.id, credential.name, retry_after_ms),
    };
  if (retry_after_ms !== null) return failure;
  return { ...failure, retry_after_ms: deps.breakers.limitedMs(vendor.id, route.upstream_model) };
}
