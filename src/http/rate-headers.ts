import { systemClock } from "../core/clock.ts";
import type { ErrorStyle } from "../core/endpoints.ts";
import type { LimitState, RateState } from "../core/ledger.ts";

/** Where headers are written: on the sheet of an answer, or into Headers. */
export interface HeaderWriter {
  set(name: string, value: string): void;
}

/** Adds the headers that tell a client its limits, in the names of its style (docs/rulings.md 18, 19c). */
export function writeRateHeaders(headers: HeaderWriter, rate: RateState | null, style: ErrorStyle): void {
  if (rate === null) return;
  if (style === "a") writeStyleA(headers, rate);
  else writeStyleB(headers, rate);
}

/** Names are written out, here and below: put together they would be new texts on every request. */
function writeStyleA(headers: HeaderWriter, { requests, tokens }: RateState): void {
  if (requests !== null) {
    headers.set("x-ratelimit-limit-requests", String(requests.limit));
    headers.set("x-ratelimit-remaining-requests", remaining(requests));
    headers.set("x-ratelimit-reset-requests", duration(requests.reset_ms));
  }
  if (tokens !== null) {
    headers.set("x-ratelimit-limit-tokens", String(tokens.limit));
    headers.set("x-ratelimit-remaining-tokens", remaining(tokens));
    headers.set("x-ratelimit-reset-tokens", duration(tokens.reset_ms));
  }
}

function writeStyleB(headers: HeaderWriter, { requests, tokens }: RateState): void {
  if (requests !== null) {
    headers.set("anthropic-ratelimit-requests-limit", String(requests.limit));
    headers.set("anthropic-ratelimit-requests-remaining", remaining(requests));
    headers.set("anthropic-ratelimit-requests-reset", moment(requests));
  }
  if (tokens !== null) {
    headers.set("anthropic-ratelimit-tokens-limit", String(tokens.limit));
    headers.set("anthropic-ratelimit-tokens-remaining", remaining(tokens));
    headers.set("anthropic-ratelimit-tokens-reset", moment(tokens));
  }
}

function remaining(state: LimitState): string {
  return String(Math.max(0, Math.floor(state.remaining)));
}

/** Style B tells when, not how long. */
function moment(state: LimitState): string {
  return new Date(systemClock.now_ms() + state.reset_ms).toISOString();
}

/** Style A's durations: `0s`, `850ms`, `6.5s`, `1m30s`. */
function duration(time_ms: number): string {
  if (time_ms < 1000) return time_ms <= 0 ? "0s" : `${Math.ceil(time_ms)}ms`;
  const seconds = Math.ceil(time_ms / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${Math.ceil(seconds % 60)}s`;
}
