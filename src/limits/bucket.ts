import type { LimitState } from "../core/ledger/ledger.ts";

/**
 * A token bucket for a limit per minute, which stores how much is used: a full bucket has 0 used. A changed limit takes
 * effect at once, and a key that had no limit before starts with a full bucket. The bucket refills continuously.
 *
 * Arithmetic is in whole units of 1/60,000 of a token: a limit of n a minute then refills exactly n units a
 * millisecond, so no rounding ever accumulates.
 */
export interface Bucket {
  /** The limit per minute. */
  readonly limit: number;
  readonly used_units: number;
  readonly at_ms: number;
}

export const UNITS_PER_TOKEN = 60_000;

/** The retry delay for a limit of 0, which never has room: the longest delay that is reasonable to send to a client. */
export const NEVER_RETRY_MS = 60_000;

/**
 * A time that is earlier than the bucket's by more than this is a clock that was set back. By less, it is one transaction that
 * read the clock before another one and came after it.
 */
const SET_BACK_MS = 10_000;

/**
 * The same bucket, or one that refills from the new time on where the clock was set back: it would otherwise refuse until the old time is
 * reached again.
 */
function sinceSetBack(bucket: Bucket | null, now_ms: number): Bucket | null {
  return bucket !== null && now_ms < bucket.at_ms - SET_BACK_MS ? { ...bucket, at_ms: now_ms } : bucket;
}

/** Who counts requests and tokens of a minute. */
export interface Counted {
  requests: Bucket | null;
  tokens: Bucket | null;
}

/** Lets buckets refill from now on whose time lies ahead. Returns whether there were some, which have to be written then. */
export function turnBack(counted: Counted, now_ms: number): boolean {
  const { requests, tokens } = counted;
  counted.requests = sinceSetBack(requests, now_ms);
  counted.tokens = sinceSetBack(tokens, now_ms);
  return counted.requests !== requests || counted.tokens !== tokens;
}

/** The bucket as it is now, under the limit that rules from now on. `known` is null when no request was counted yet. */
export function refill(known: Bucket | null, limit: number, now_ms: number): Bucket {
  const bucket = sinceSetBack(known, now_ms);
  if (bucket === null) return { limit, used_units: 0, at_ms: now_ms };
  const elapsed_ms = Math.max(0, now_ms - bucket.at_ms);
  return {
    limit,
    used_units: Math.max(0, bucket.used_units - elapsed_ms * bucket.limit),
    at_ms: Math.max(now_ms, bucket.at_ms),
  };
}

/**
 * Whether a refilled bucket has room for so many tokens. More tokens than the whole limit fit only into a full bucket.
 */
export function hasRoom(bucket: Bucket, tokens: number): boolean {
  if (bucket.limit <= 0) return false;
  if (tokens > bucket.limit) return bucket.used_units === 0;
  return bucket.used_units + tokens * UNITS_PER_TOKEN <= bucket.limit * UNITS_PER_TOKEN;
}

export function take({ limit, used_units, at_ms }: Bucket, tokens: number): Bucket {
  // Member by member: a spread costs several times as much, for each limit of each call.
  return { limit, used_units: used_units + tokens * UNITS_PER_TOKEN, at_ms };
}

/** Takes one token from a refilled bucket, or what is left of one: for a request that was refused without being asked first. */
export function takeWhatIsLeft(bucket: Bucket): Bucket {
  const most_units = Math.max(bucket.used_units, bucket.limit * UNITS_PER_TOKEN);
  return { ...bucket, used_units: Math.min(most_units, bucket.used_units + UNITS_PER_TOKEN) };
}

/**
 * Replaces the tokens taken at admission by the tokens really used (docs/rulings.md 50). Tokens taken too many are
 * given back, except those that have refilled since; tokens taken too few are taken now.
 */
export function correct(bucket: Bucket, taken: number, used: number, taken_ms: number): Bucket {
  if (used >= taken) return take(bucket, used - taken);
  const { limit, used_units, at_ms } = bucket;
  const refilled_units = Math.max(0, at_ms - taken_ms) * limit;
  const credit_units = Math.max(0, (taken - used) * UNITS_PER_TOKEN - refilled_units);
  return { limit, used_units: Math.max(0, used_units - credit_units), at_ms };
}

/** Milliseconds until a refilled bucket has room for so many tokens. */
export function untilRoom_ms(bucket: Bucket, tokens: number): number {
  if (bucket.limit <= 0) return NEVER_RETRY_MS;
  const room_units = tokens > bucket.limit ? 0 : (bucket.limit - tokens) * UNITS_PER_TOKEN;
  return Math.max(0, Math.ceil((bucket.used_units - room_units) / bucket.limit));
}

/** A refilled bucket as the rate-limit headers show it. */
export function limitState(bucket: Bucket): LimitState {
  const free_units = Math.max(0, bucket.limit * UNITS_PER_TOKEN - bucket.used_units);
  return {
    limit: bucket.limit,
    remaining: Math.floor(free_units / UNITS_PER_TOKEN),
    reset_ms: bucket.limit <= 0 ? NEVER_RETRY_MS : Math.ceil(bucket.used_units / bucket.limit),
  };
}
