import type { RateState } from "../core/ledger/ledger.ts";
import { type Bucket, hasRoom, limitState, refill, take, untilRoom_ms } from "./bucket.ts";

/** The counters of a key: its buckets and its requests in flight. */
export interface RateCounts {
  readonly requests: Bucket | null;
  readonly tokens: Bucket | null;
  /** Requests in flight. */
  readonly open: number;
}

/** The key's limits and the amounts that a request takes from them; a limit of null is unlimited. */
export interface RateDemand {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly concurrent: number | null;
  readonly bound_tokens: number;
}

export interface RateRefusal {
  readonly limit: "requests" | "tokens" | "concurrency";
  readonly retry_after_ms: number;
}

export interface RateDecision {
  /** Null when all limits have room. */
  readonly refusal: RateRefusal | null;
  /**
   * The bucket of requests after this request, admitted or refused (docs/rulings.md 141). A request that this bucket itself
   * has no room for takes nothing: whoever keeps on asking would otherwise be refused for ever.
   */
  readonly requests: Bucket | null;
  /** The bucket of tokens after the request, if it is admitted; only refilled where a limit refuses it. */
  readonly tokens: Bucket | null;
  /** The bucket of tokens without the request, for one that something else refuses. */
  readonly tokens_untaken: Bucket | null;
  readonly rate: RateState;
}

/** The retry delay of a concurrency refusal. It is short because nobody can predict when a running request ends. */
const CONCURRENCY_RETRY_MS = 1000;

/**
 * Checks the limits on requests a minute, tokens a minute and requests in flight, in this order (docs/rulings.md 18,
 * 50).
 */
export function decideRate(counts: RateCounts, demand: RateDemand, now_ms: number): RateDecision {
  const requests = demand.rpm === null ? null : refill(counts.requests, demand.rpm, now_ms);
  const tokens = demand.tpm === null ? null : refill(counts.tokens, demand.tpm, now_ms);
  const refusal = refusalOf(requests, tokens, counts.open, demand);
  const requests_after = requests === null || refusal?.limit === "requests" ? requests : take(requests, 1);
  if (refusal !== null) {
    const rate = rateState(requests_after, tokens);
    return { refusal, requests: requests_after, tokens, tokens_untaken: tokens, rate };
  }
  const tokens_after = tokens === null ? null : take(tokens, demand.bound_tokens);
  return {
    refusal: null,
    requests: requests_after,
    tokens: tokens_after,
    tokens_untaken: tokens,
    rate: rateState(requests_after, tokens_after),
  };
}

/** The limits after a request that they had room for and that something else refuses: it takes no tokens. */
export function rateOfRefused({ requests, tokens_untaken }: RateDecision): RateState {
  return rateState(requests, tokens_untaken);
}

function refusalOf(
  requests: Bucket | null,
  tokens: Bucket | null,
  open: number,
  demand: RateDemand,
): RateRefusal | null {
  if (requests !== null && !hasRoom(requests, 1)) {
    return { limit: "requests", retry_after_ms: untilRoom_ms(requests, 1) };
  }
  if (tokens !== null && !hasRoom(tokens, demand.bound_tokens)) {
    return { limit: "tokens", retry_after_ms: untilRoom_ms(tokens, demand.bound_tokens) };
  }
  if (demand.concurrent !== null && open >= demand.concurrent) {
    return { limit: "concurrency", retry_after_ms: CONCURRENCY_RETRY_MS };
  }
  return null;
}

function rateState(requests: Bucket | null, tokens: Bucket | null): RateState {
  return {
    requests: requests === null ? null : limitState(requests),
    tokens: tokens === null ? null : limitState(tokens),
  };
}
