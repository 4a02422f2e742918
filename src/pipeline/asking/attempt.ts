import type { GatewayError } from "../../core/errors.ts";
import type { AnswerReport, VendorFailure } from "../../core/exchange.ts";
import type { MeteredCall } from "../../routing/route-meters.ts";
import type { UpstreamCall } from "../../wire/client/call.ts";
import type { UpstreamReply } from "../../wire/client/reply.ts";
import type { PricedCandidate } from "../generation/plan.ts";
import { requestFor } from "./request-for.ts";
import type { AttemptResult, Search } from "./search.ts";
import type { VendorExchange } from "./vendor-exchange.ts";
import { type AttemptVerdict, judgeEvent, judgeStatus, judgeThrown, readRetryAfter } from "./vendor-failure.ts";
import { withoutCredentials } from "./without-credentials.ts";

/** Holds the running call, so that its owner can end it at any moment, and knows what it has brought so far. */
export interface CallHolder {
  current: Pick<UpstreamCall, "abort"> | null;
  /** The candidate that was asked last. */
  asked: PricedCandidate | null;
  /** What that candidate has begun to answer; null before the head of an answer. */
  begun: BegunAnswer | null;
}

/** An answer whose head has come: what is charged where the client leaves now. */
export interface BegunAnswer {
  readonly candidate: PricedCandidate;
  /** What is known of the answer; null before its first bytes. */
  readonly report: AnswerReport | null;
}

/** A holder for one call. */
export function newHolder(): CallHolder {
  return { current: null, asked: null, begun: null };
}

/**
 * One attempt at one vendor, up to the point where its answer is known to be an answer. Ends with `answered` or
 * `failed`. Every call passes here, so steps that are synchronous make no promise.
 */
export class VendorAttempt implements AttemptResult {
  readonly started_ms: number;
  status: number | null = null;
  first_byte_ms: number | null = null;
  error: GatewayError | null = null;
  /** Ends with the attempt, unless the answer is a stream that continues. */
  readonly metered: MeteredCall;
  readonly #search: Search;
  readonly #candidate: PricedCandidate;
  readonly #exchange: VendorExchange;
  #holder: CallHolder | null = null;
  #head_ms = 0;

  constructor(search: Search, candidate: PricedCandidate, exchange: VendorExchange, started_ms: number) {
    this.#search = search;
    this.#candidate = candidate;
    this.#exchange = exchange;
    this.started_ms = started_ms;
    this.metered = search.deps.meters.begin(candidate.vendor.id, candidate.route.upstream_model, started_ms);
  }

  /** Makes the call. Resolves when the head of an answer has arrived. */
  ask(holder: CallHolder): Promise<UpstreamReply> {
    const request = requestFor(this.#candidate, this.#exchange);
    holder.begun = null;
    holder.asked = this.#candidate;
    const call = this.#search.deps.upstream.start(request);
    holder.current = call;
    this.#holder = holder;
    return call.reply;
  }

  /** Takes the head of an answer. Returns a verdict where its status is an error, null for an answer to be read. */
  replied(reply: UpstreamReply): Promise<AttemptVerdict> | null {
    const now_ms = this.#search.deps.clock.monotonic_ms();
    this.status = reply.status;
    this.first_byte_ms = now_ms - this.started_ms;
    this.#head_ms = now_ms;
    if (reply.status < 200 || reply.status > 299) return this.#readFailure(reply);
    if (this.#holder !== null) this.#holder.begun = { candidate: this.#candidate, report: null };
    this.metered.answered(now_ms);
    return null;
  }

  /**
   * The reply is an answer. `goes_on`: the reader of the rest ends the metering. `at_once`: all of it arrived with its
   * head, whose time of arrival counts.
   */
  answered(goes_on: boolean, at_once: boolean): void {
    const now_ms = at_once ? this.#head_ms : this.#search.deps.clock.monotonic_ms();
    if (!goes_on) this.metered.completed(now_ms);
    this.#search.firstByte(now_ms);
    this.#search.attempted(this.#candidate, this, now_ms);
  }

  /** The route is well. */
  succeeded(): void {
    const { vendor, route } = this.#candidate;
    const { deps, call } = this.#search;
    deps.breakers.succeeded(vendor.id, route.upstream_model, call.key.account_id);
  }

  /**
   * The attempt failed. Rate limits count as errors of the vendor; an abandoned attempt says nothing about the route.
   */
  failed({ health, error }: AttemptVerdict): void {
    this.error = error;
    if (health === "fine") this.metered.ended();
    else if (health === "unknown" && error.code !== "provider_rate_limited") this.metered.forgotten();
    else this.metered.failed(error.code, this.status);
    this.#search.attempted(this.#candidate, this, this.#search.deps.clock.monotonic_ms());
  }

  /** The verdict on something that was thrown during the attempt. */
  judge(thrown: unknown): AttemptVerdict {
    return judgeThrown(thrown, this.status !== null);
  }

  async #readFailure(reply: UpstreamReply): Promise<AttemptVerdict> {
    const { call, deps } = this.#search;
    const told = await this.#exchange.readError(reply.status, await reply.readErrorText());
    const failure = withoutCredentials(told, this.#candidate.vendor);
    const retry_after_ms =
      failure.retry_after_ms ?? readRetryAfter(reply.headers.get("retry-after"), deps.clock.now_ms());
    return judgeStatus({ ...failure, retry_after_ms }, call.general_error);
  }
}

/** The verdict on a failure that a vendor reported inside its answer. */
export function judgeInside(search: Search, { vendor }: PricedCandidate, failure: VendorFailure): AttemptVerdict {
  return judgeEvent(withoutCredentials(failure, vendor), search.call.general_error);
}
